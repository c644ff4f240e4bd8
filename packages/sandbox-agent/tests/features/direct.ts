// Features that universal sessions do not expose: the daemon itself opens and closes the agent's sessions there, and decides
// requests. `SandboxAgentClient` talks to the agent.

import { AgentCallError, type SandboxAgentClient, type SessionUpdateEvent } from "sandbox-agent";
import { expect } from "vitest";
import { isAlive, programs } from "./processes.ts";
import { type AgentId, read, type Script, say, write } from "./script.ts";
import type { Feature, Stage } from "./stage.ts";

/** The agents' own names of modes. */
const MODES: Record<AgentId, { ask: string; bypass: string }> = {
  demo: { ask: "ask", bypass: "bypass" },
  claude: { ask: "default", bypass: "bypassPermissions" },
  codex: { ask: "default", bypass: "bypass" },
  opencode: { ask: "default", bypass: "bypass" },
};

/** Code of the error for a session that is not open. */
const NOT_FOUND = -32002;

type Update = SessionUpdateEvent["update"];

/** Returns the updates while something runs. */
async function updatesOf(client: SandboxAgentClient, run: () => Promise<unknown>): Promise<Update[]> {
  const updates: Update[] = [];
  const stop = client.on("sessionUpdate", ({ update }) => updates.push(update));
  try {
    await run();
    return updates;
  } finally {
    stop();
  }
}

function textOf(updates: Update[], kind: string): string {
  return updates
    .filter((update) => update["sessionUpdate"] === kind)
    .map((update) => (update["content"] as { text?: string }).text ?? "")
    .join("");
}

/** Returns the last status of each tool call. */
function statuses(updates: Update[]): unknown[] {
  const calls = new Map<unknown, unknown>();
  for (const { toolCallId, status } of updates) {
    if (toolCallId !== undefined && status !== undefined) calls.set(toolCallId, status);
  }
  return [...calls.values()];
}

async function prompt(stage: Stage, sessionId: string, ...script: Script): Promise<Update[]> {
  return updatesOf(stage.direct, () => stage.direct.prompt({ sessionId, prompt: stage.text(...script) }));
}

async function opened(stage: Stage, mode: "ask" | "bypass"): Promise<string> {
  const { sessionId } = await stage.direct.newSession({ cwd: stage.project });
  await stage.direct.setSessionMode({ sessionId, modeId: MODES[stage.agent][mode] });
  return sessionId;
}

async function told(stage: Stage): Promise<string> {
  stage.put("notes.txt", "Buy milk.\n");
  const sessionId = await opened(stage, "bypass");
  await prompt(stage, sessionId, [read("notes.txt")], [say("The word is xyzzy.")]);
  return sessionId;
}

async function remembers(stage: Stage, sessionId: string): Promise<void> {
  const updates = await prompt(stage, sessionId, [say("Continuing.")]);
  expect(textOf(updates, "agent_message_chunk")).toBe("Continuing.");
  if (stage.isReal) expect(await stage.model.lastDialogue()).toContain("The word is xyzzy.");
}

interface Loaded {
  sessionId: string;
  history: Update[];
}

const loads = new WeakMap<Stage, Promise<Loaded>>();

/** Returns a session that was loaded by a new process of the agent. Two features look at the same one. */
async function loaded(stage: Stage): Promise<Loaded> {
  const load = async (): Promise<Loaded> => {
    const sessionId = await told(stage);
    await stage.direct.disconnect();
    await stage.direct.connect();
    const open = () => stage.direct.loadSession({ sessionId, cwd: stage.project });
    return { sessionId, history: await updatesOf(stage.direct, open) };
  };
  const known = loads.get(stage) ?? load();
  loads.set(stage, known);
  return known;
}

export const features: Feature[] = [
  {
    title: "Answer “cancelled”",
    async run(stage) {
      const sessionId = await opened(stage, "ask");
      const stop = stage.direct.on("permissionRequest", (permission) => permission.cancel());
      try {
        const updates = await prompt(stage, sessionId, [write("never.txt", "no\n")], [say("Done.")]);
        expect(statuses(updates)).toEqual(["failed"]);
      } finally {
        stop();
      }
      expect(stage.file("never.txt")).toBeUndefined();
      const after = await prompt(stage, sessionId, [say("Continuing.")]);
      expect(textOf(after, "agent_message_chunk")).toBe("Continuing.");
    },
  },
  {
    title: "Load",
    async run(stage) {
      const { sessionId, history } = await loaded(stage);
      expect(textOf(history, "agent_message_chunk")).toContain("The word is xyzzy.");
      expect(textOf(history, "user_message_chunk")).toContain("notes.txt");
      await remembers(stage, sessionId);
    },
  },
  {
    title: "Load tool calls",
    async run(stage) {
      expect(statuses((await loaded(stage)).history)).toEqual(["completed"]);
    },
  },
  {
    title: "Close",
    async run(stage) {
      const before = programs(stage.agent, stage.daemon.pid);
      const sessionId = await told(stage);
      const own = programs(stage.agent, stage.daemon.pid).filter((pid) => !before.includes(pid));
      await stage.direct.terminateSession({ sessionId });
      if (stage.agent === "claude") {
        expect(own, "the session has a program of its own").toHaveLength(1);
        await expect.poll(() => own.some(isAlive), { timeout: 60_000 }).toBe(false);
      }
      const late = stage.direct.prompt({ sessionId, prompt: "Hello?" });
      const error = await late.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AgentCallError);
      expect(error).toMatchObject({ code: NOT_FOUND });
      await stage.direct.loadSession({ sessionId, cwd: stage.project });
      await remembers(stage, sessionId);
    },
  },
];
