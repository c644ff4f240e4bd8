// One session: its state, what it waits for, and the ways to act on it.

import { useMemo } from "react";
import type { SessionInfo } from "sandbox-agent";
import type { ActionFailure, Connection, SessionSnapshot, SessionStore } from "sandbox-agent/stores";
import type { QuestionItem, Transcript } from "sandbox-agent/transcript";
import { useStores } from "./provider.tsx";
import { useStore } from "./use-store.ts";

/** Members of the transcript that describe the session as a whole. */
type SessionFacts = Pick<
  Transcript,
  | "state"
  | "turn"
  | "queue"
  | "queueHeld"
  | "permissions"
  | "questions"
  | "plan"
  | "usage"
  | "commands"
  | "choices"
  | "title"
  | "continuity"
  | "ended"
>;

type SessionActions = Pick<
  SessionStore,
  | "send"
  | "cancel"
  | "withdraw"
  | "replyPermission"
  | "replyQuestion"
  | "rejectQuestion"
  | "change"
  | "resume"
  | "terminate"
  | "retry"
  | "dismissFailure"
>;

export interface SessionResult extends SessionFacts, SessionActions {
  readonly id: string;
  /** `loading` until the session has been read; `failed` if it cannot be, see `connection`. */
  readonly status: "loading" | "ready" | "failed";
  readonly connection: Connection;
  /** The session as the daemon described it last: agent, directory, metadata and more. */
  readonly info: SessionInfo | undefined;
  /** Open approvals of plans. They are in `questions`, too. */
  readonly planApprovals: readonly QuestionItem[];
  /** True while a turn runs or messages are about to start one. */
  readonly isBusy: boolean;
  /** The newest action that failed. */
  readonly failure: ActionFailure | undefined;
}

function facts({
  connection,
  info,
  failure,
  transcript,
}: SessionSnapshot): SessionFacts & Pick<SessionSnapshot, "connection" | "info" | "failure"> {
  const { state, turn, queue, queueHeld, permissions, questions, plan } = transcript;
  const { usage, commands, choices, title, continuity, ended } = transcript;
  const waits = { turn, queue, queueHeld, permissions, questions };
  const settings = { plan, usage, commands, choices, title, continuity, ended };
  return { connection, info, failure, state, ...waits, ...settings };
}

/**
 * Follows a session. Renders again when something other than a message changes, so a long answer that streams costs nothing
 * here. The functions stay the same; their promises may be ignored, as a failure is in `failure` as well.
 */
export function useSession(id: string): SessionResult {
  const store = useStores().session(id);
  const now = useStore(store, facts);
  return useMemo(() => {
    const isFailed = now.connection.state === "failed";
    const isBusy = now.state === "running" || now.state === "requiresAction";
    const planApprovals = now.questions.filter(({ request }) => request.planApproval === true);
    const status = now.info !== undefined ? "ready" : isFailed ? "failed" : "loading";
    return { ...now, ...actionsOf(store), id, status, isBusy, planApprovals };
  }, [store, now, id]);
}

function actionsOf(store: SessionStore): SessionActions {
  const { send, cancel, withdraw, replyPermission, replyQuestion, rejectQuestion } = store;
  const { change, resume, terminate, retry, dismissFailure } = store;
  const replies = { replyPermission, replyQuestion, rejectQuestion };
  return { send, cancel, withdraw, ...replies, change, resume, terminate, retry, dismissFailure };
}
