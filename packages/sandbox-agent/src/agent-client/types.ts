// Parameters, results and events of `SandboxAgentClient`.

import type { HttpOptions } from "../http/http.ts";
import type { PersistDriver } from "../persist/driver.ts";
import type { AgentExitInfo } from "./errors.ts";
import type { Metadata } from "./metadata.ts";
import type { PermissionAsk, QuestionAsk } from "./requests.ts";

/** Options of `new SandboxAgentClient`. */
export interface SandboxAgentClientOptions extends HttpOptions {
  /** Id of the agent, such as `claude`. */
  agent: string;
  /** Connects at once, true by default. Otherwise call `connect`. */
  autoConnect?: boolean | undefined;
  /** Names the agent's process in the daemon, so that several clients can share it. Random by default. */
  serverId?: string | undefined;
  /** Keeps the agent's process when the client disconnects; false by default. */
  keepAgent?: boolean | undefined;
  /** Where sessions and their updates are kept; in memory by default. */
  persist?: PersistDriver | undefined;
  /** Answers what the agent asks, true by default. Without a listener, requests are rejected. False leaves them to other clients. */
  answerRequests?: boolean | undefined;
}

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. The agent is asked to stop. */
  signal?: AbortSignal | undefined;
}

/** A choice of a setting. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** A setting of a session, such as its model. */
export interface ConfigOption {
  readonly id: string;
  readonly name: string;
  /** Kind of setting, such as `mode`, `model` or `thought_level`. */
  readonly category?: string;
  readonly value: unknown;
  /** Values that it can take; empty for a switch. */
  readonly choices: readonly Choice[];
}

/** A session that was opened. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly agent: string;
  readonly configOptions: readonly ConfigOption[];
  readonly modes: readonly Choice[];
  readonly mode?: string;
  readonly metadata: Metadata;
}

/** A session as `listSessions` returns it. */
export interface ListedSession {
  readonly sessionId: string;
  readonly agent: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly ended: boolean;
  readonly eventCount: number;
  readonly metadata: Metadata;
}

/** Settings of a new session of a `SandboxAgentClient`. */
export interface NewSessionOptions {
  /** Absolute path of the directory to work in. */
  cwd: string;
  /** MCP servers, in the form that the agent takes. */
  mcpServers?: readonly unknown[];
  /** Title of the session. */
  title?: string;
  /** Metadata of your choice, kept with the session. */
  metadata?: Metadata;
}

/** How to load or resume a session. */
export interface OpenSessionOptions {
  /** The agent's own id of the session. */
  sessionId: string;
  /** Directory to work in; that of the stored session by default. */
  cwd?: string;
  /** MCP servers, in the form that the agent takes. */
  mcpServers?: readonly unknown[];
}

/** A part of a prompt: text, an image, a link and so on. */
export type PromptPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: string; readonly [key: string]: unknown };

export interface PromptResult {
  /** Why the turn ended, such as `end_turn` or `cancelled`. */
  readonly stopReason: string;
  readonly metadata: Metadata;
}

/** Models of a session. */
export interface Models {
  readonly models: readonly Choice[];
  readonly current?: string;
}

/** Something that happened in a session. `update` is as the agent sent it; `kind` names it. */
export interface SessionUpdateEvent {
  readonly sessionId: string;
  /** Such as `agent_message_chunk`, `tool_call` or `plan`. */
  readonly kind: string;
  readonly update: Readonly<Record<string, unknown>>;
  readonly metadata: Metadata;
}

/** A session has ended for this client. */
export interface SessionEndedEvent {
  readonly sessionId: string;
  /** `agentEnded`: its process ended, and the next call starts it again. `connectionLost`: the daemon has forgotten it. */
  readonly reason: "terminated" | "agentEnded" | "connectionLost";
  readonly exit?: AgentExitInfo;
}

/** The agent wrote a line that is no message. */
export interface ParseErrorEvent {
  /** The line, possibly cut. */
  readonly raw: string;
  readonly reason?: string;
  readonly truncated: boolean;
}

/** Updates were lost while the connection was interrupted. */
export interface GapInfo {
  readonly oldest?: number;
  readonly newest?: number;
}

/** Events of a client, by name. */
export interface ClientEvents {
  sessionUpdate: SessionUpdateEvent;
  permissionRequest: PermissionAsk;
  question: QuestionAsk;
  sessionEnded: SessionEndedEvent;
  parseError: ParseErrorEvent;
  gap: GapInfo;
  /** Updates could not be stored, or a listener failed. */
  error: unknown;
}
