// The session behind the items: its state, its settings, and what is open. Each event replaces the one before of its kind.

import type {
  ChangedChoices,
  Session,
  SessionChoices,
  Turn,
  UniversalEvent,
} from "../generated/openapi.gen.ts";
import type { RunningTurn, Transcript } from "./model.ts";
import { withIndex } from "./placing.ts";
import { withOpenPermission, withOpenQuestion } from "./requests.ts";

/** Failures after which no process of the agent runs. */
const FATAL = new Set(["agentExited", "spawnFailed", "installFailed"]);

/** Applies what an event says about the session as a whole. The items have the event already. */
export function applyToSession(transcript: Transcript, event: UniversalEvent): Transcript {
  if (event.id <= transcript.index.sessionEventId) return completeSession(transcript, event);
  const changed = change(transcript, event);
  const held = changed.queueHeld && changed.queue.length > 0;
  const released = held === changed.queueHeld ? changed : { ...changed, queueHeld: held };
  const state = stateOf(released);
  return state === released.state ? released : { ...released, state };
}

function change(transcript: Transcript, event: UniversalEvent): Transcript {
  switch (event.type) {
    case "started":
      return agentRuns(transcript, true);
    case "turnStarted":
      return {
        ...agentRuns(transcript, true),
        turn: { ...event.data.turnStarted, startedAt: event.timestamp },
      };
    case "turnEnded":
      return endTurn(transcript, event.data.turnEnded);
    case "queueHeld":
      return { ...agentRuns(transcript, false), queueHeld: true };
    case "queueReleased":
      return { ...transcript, queueHeld: false };
    case "error":
      return FATAL.has(event.data.error.kind) ? agentRuns(transcript, false) : transcript;
    case "permissionAsked":
      return withOpenPermission(transcript, event.data.permissionAsked.id);
    case "permissionResolved":
      return withOpenPermission(transcript, event.data.permissionResolved.id);
    case "questionAsked":
      return withOpenQuestion(transcript, event.data.questionAsked.id);
    case "questionResolved":
      return withOpenQuestion(transcript, event.data.questionResolved.id);
    default:
      return applySetting(transcript, event);
  }
}

/** Applies an event that replaces the one before of its kind. */
export function applySetting(transcript: Transcript, event: UniversalEvent): Transcript {
  switch (event.type) {
    case "plan":
      return { ...transcript, plan: event.data.plan };
    case "usage":
      return { ...transcript, usage: event.data.usage };
    case "commandsAvailable":
      return { ...transcript, commands: event.data.commandsAvailable.commands };
    case "modeChanged":
      return { ...transcript, choices: mergeChoices(transcript.choices, event.data.modeChanged.choices) };
    case "infoChanged":
      return { ...transcript, title: event.data.infoChanged.title };
    case "continuity":
      return { ...transcript, continuity: event.data.continuity };
    case "ended":
      return { ...transcript, ended: event.data.ended, turn: undefined };
    default:
      return transcript;
  }
}

function endTurn(transcript: Transcript, ended: { turnId: string; reason?: string }): Transcript {
  if (transcript.turn !== undefined && transcript.turn.turnId !== ended.turnId) return transcript;
  const idle = { ...transcript, turn: undefined };
  return ended.reason === undefined ? idle : agentRuns(idle, false);
}

function agentRuns(transcript: Transcript, runs: boolean): Transcript {
  return transcript.index.agentRuns === runs ? transcript : withIndex(transcript, { agentRuns: runs });
}

/** Applies what the session's own description, which is newer than the event, does not have. */
function completeSession(transcript: Transcript, event: UniversalEvent): Transcript {
  switch (event.type) {
    case "plan":
    case "commandsAvailable":
    case "continuity":
    case "ended":
      return applySetting(transcript, event);
    case "permissionAsked":
      return placeOpenPermission(transcript, event.data.permissionAsked.id);
    case "questionAsked":
      return placeOpenQuestion(transcript, event.data.questionAsked.id);
    default:
      return transcript;
  }
}

/** An open request got its place by this event. */
function placeOpenPermission(transcript: Transcript, id: string): Transcript {
  const isOpen = transcript.permissions.some((open) => open.id === id);
  return isOpen ? withOpenPermission(transcript, id) : transcript;
}

function placeOpenQuestion(transcript: Transcript, id: string): Transcript {
  const isOpen = transcript.questions.some((open) => open.id === id);
  return isOpen ? withOpenQuestion(transcript, id) : transcript;
}

/** `modeChanged` always has the current mode, model and variant; a list that is absent stays as it was. */
function mergeChoices(before: SessionChoices, changed: ChangedChoices): SessionChoices {
  const { modes, models, variants, options } = before;
  return { modes, models, variants, ...(options && { options }), ...changed };
}

function stateOf(transcript: Transcript): Transcript["state"] {
  if (transcript.ended !== undefined) return "ended";
  if (transcript.permissions.length + transcript.questions.length > 0) return "requiresAction";
  if (transcript.turn !== undefined) return "running";
  const waits = transcript.queue.length > 0 && !transcript.queueHeld;
  if (transcript.index.agentRuns) return waits ? "running" : "idle";
  const neverRan = transcript.state === "starting" && transcript.continuity === undefined;
  return neverRan ? "starting" : "interrupted";
}

/** Fills in what older events say where no newer one does. */
export function withSettings(transcript: Transcript, older: Transcript): Transcript {
  const { plan = older.plan, continuity = older.continuity } = transcript;
  const commands = transcript.commands.length === 0 ? older.commands : transcript.commands;
  return { ...transcript, plan, continuity, commands };
}

/** Takes the session's own description, which is newer than the events up to its `lastEventId`. */
export function withSession(transcript: Transcript, session: Session): Transcript {
  const { state, turn, choices, usage, title, queueHeld, lastEventId } = session;
  const runs = state !== "starting" && state !== "interrupted" && state !== "ended";
  return {
    ...transcript,
    state,
    usage,
    title,
    queueHeld,
    turn: turn && runningTurn(turn),
    choices: choices ?? transcript.choices,
    index: { ...transcript.index, agentRuns: runs, sessionEventId: lastEventId },
  };
}

function runningTurn({ turnId, messageId, startedAt }: Turn): RunningTurn {
  return messageId === undefined ? { turnId, startedAt } : { turnId, messageId, startedAt };
}
