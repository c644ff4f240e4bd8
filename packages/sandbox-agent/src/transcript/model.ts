// The transcript: what a client shows of a session. Every value is immutable; an unchanged item keeps its identity.

import type {
  AllowRule,
  ChangedChoices,
  Command,
  Compaction,
  Continuity,
  CrashInfo,
  Ended,
  ErrorPart,
  FilePart,
  Gap,
  ImagePart,
  Location,
  Notice,
  PermissionReplyKind,
  PermissionRequest,
  Plan,
  QuestionOutcome,
  QuestionRequest,
  ReasoningPart,
  ResolvedBy,
  SessionChoices,
  SessionState,
  StopReason,
  TextPart,
  ToolContent,
  ToolKind,
  ToolStatus,
  Usage,
  WithdrawnBy,
} from "../generated/openapi.gen.ts";
import type { ItemList } from "./item-list.ts";
import type { KeyMap } from "./key-map.ts";

/** A tool call with its newest state. `content` grows while the tool prints. */
export interface ToolPart {
  readonly type: "tool";
  /** Id of the call. Messages of its sub-agent have it as `parentId`. */
  readonly id: string;
  readonly name?: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly status: ToolStatus;
  readonly input?: unknown;
  readonly locations: readonly Location[];
  /** Text, diffs, images, files and terminals that the call shows. */
  readonly content: readonly ToolContent[];
  /** Output as the tool wrote it, unless `content` shows the same text. */
  readonly output?: unknown;
  readonly isError: boolean;
}

/** A function call with its result, as soon as there is one. */
export interface FunctionPart {
  readonly type: "function";
  readonly id: string;
  readonly name: string;
  readonly arguments?: unknown;
  readonly result?: { readonly value: unknown; readonly isError: boolean };
}

/** A part of a type that this version does not know, as the daemon sent it. */
export interface OpaquePart {
  readonly type: "unknown";
  readonly raw: unknown;
}

/** A part of a message. A call and its result are one part. */
export type TranscriptPart =
  | TextPart
  | ReasoningPart
  | ToolPart
  | FunctionPart
  | FilePart
  | ImagePart
  | ErrorPart
  | OpaquePart;

interface ItemBase {
  /** Identifies the item within its transcript, such as for a React `key`. */
  readonly key: string;
  /** Place among the items: the id of the event that put the item there, or an estimate below the next id. */
  readonly position: number;
  /** Time of the newest recorded state, RFC 3339. */
  readonly timestamp: string;
}

interface MessageBase extends ItemBase {
  /** Id of the message. */
  readonly id: string;
  readonly turnId?: string;
  readonly parts: readonly TranscriptPart[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Id of the event with the newest whole state. Events up to it add nothing to this message. */
  readonly eventId: number;
}

/** The life of a user's message. */
export type UserMessageState =
  | { readonly type: "queued" }
  | { readonly type: "running" }
  /** `stopReason` is absent if the end of the turn was not read. */
  | {
      readonly type: "done";
      readonly stopReason?: StopReason;
      readonly reason?: string;
      readonly usage?: Usage;
    }
  /** `by` is absent if only a page was read. */
  | { readonly type: "withdrawn"; readonly by?: WithdrawnBy };

/** A message of a user. */
export interface UserItem extends MessageBase {
  readonly kind: "user";
  readonly state: UserMessageState;
}

/** A message of the agent: text, reasoning, tool calls. */
export interface AssistantItem extends MessageBase {
  readonly kind: "assistant";
  /** True while pieces have come that no recorded state contains. */
  readonly streaming: boolean;
  /** The tool call of the sub-agent that wrote the message; see `childrenOf`. */
  readonly parentId?: string;
}

/** A request for permission, at the place where the agent asked. */
export interface PermissionItem extends ItemBase {
  readonly kind: "permission";
  readonly id: string;
  readonly request: PermissionRequest;
  readonly state: PermissionState;
}

/** `reply` is absent if nobody decided; `by` says why. */
export type PermissionState =
  | { readonly type: "open" }
  | {
      readonly type: "resolved";
      readonly by: ResolvedBy;
      readonly reply?: PermissionReplyKind;
      readonly optionId?: string;
      /** Rule that the decision added to the session. */
      readonly rule?: AllowRule;
      /** Name that the client gave itself. */
      readonly client?: string;
      readonly at: string;
    };

/** A question, or the approval of a plan, at the place where the agent asked. */
export interface QuestionItem extends ItemBase {
  readonly kind: "question";
  readonly id: string;
  readonly request: QuestionRequest;
  readonly state: QuestionState;
}

export type QuestionState =
  | { readonly type: "open" }
  | {
      readonly type: "resolved";
      readonly by: ResolvedBy;
      readonly outcome: QuestionOutcome;
      readonly answers?: readonly (readonly string[])[];
      /** Name that the client gave itself. */
      readonly client?: string;
      readonly at: string;
    };

/** The end of a turn. */
export interface TurnEndItem extends ItemBase {
  readonly kind: "turnEnd";
  readonly turnId: string;
  readonly stopReason: StopReason;
  readonly reason?: string;
  readonly usage?: Usage;
}

export interface NoticeItem extends ItemBase {
  readonly kind: "notice";
  readonly notice: Notice;
}

/** A summary that replaced the conversation in the agent's context. */
export interface CompactionItem extends ItemBase {
  readonly kind: "compaction";
  readonly compaction: Compaction;
}

/** A failure. `error.exit.stderrTail` has the end of the agent's standard error. */
export interface ErrorItem extends ItemBase {
  readonly kind: "error";
  readonly error: CrashInfo;
}

/** A change of mode, model, variant or options. Lists are present only if they changed. */
export interface ModeItem extends ItemBase {
  readonly kind: "mode";
  readonly choices: ChangedChoices;
}

/** The memory of an agent that was started again. */
export interface ContinuityItem extends ItemBase {
  readonly kind: "continuity";
  readonly continuity: Continuity;
}

export interface EndedItem extends ItemBase {
  readonly kind: "ended";
  readonly ended: Ended;
}

/** Events that are no longer kept are missing here. */
export interface GapItem extends ItemBase {
  readonly kind: "gap";
  readonly gap: Gap;
}

/** An event that has no other form, or whose type this version does not know. */
export interface UnknownItem extends ItemBase {
  readonly kind: "unknown";
  readonly type: string;
  readonly data: unknown;
}

export type TranscriptItem =
  | UserItem
  | AssistantItem
  | PermissionItem
  | QuestionItem
  | TurnEndItem
  | NoticeItem
  | CompactionItem
  | ErrorItem
  | ModeItem
  | ContinuityItem
  | EndedItem
  | GapItem
  | UnknownItem;

/** The running turn. */
export interface RunningTurn {
  readonly turnId: string;
  /** Absent if the agent began the turn by itself, or if its beginning was not read. */
  readonly messageId?: string;
  readonly startedAt: string;
}

/** Says what became of something whose beginning has not been read, with the event that says so. */
export type Outcome =
  | { readonly of: "user"; readonly eventId: number; readonly state: UserMessageState }
  | { readonly of: "begin"; readonly eventId: number }
  | { readonly of: "permission"; readonly eventId: number; readonly state: PermissionState }
  | { readonly of: "question"; readonly eventId: number; readonly state: QuestionState };

/** An end without the event that it came with. */
export type Ending = Outcome extends infer O ? (O extends Outcome ? Omit<O, "eventId"> : never) : never;

/** State of the reducer that views do not need. */
export interface TranscriptIndex {
  /** Position of each item, by key. */
  readonly positions: KeyMap<number>;
  /** Keys of the messages of each sub-agent, by the id of its tool call. */
  readonly children: KeyMap<readonly string[]>;
  /** Keys of items whose position is an estimate until the event that puts them in place is read. */
  readonly estimated: KeyMap<true>;
  /** Ends of things that began before the oldest event that was read, by key. */
  readonly outcomes: KeyMap<Outcome>;
  /** The oldest event that was read, with the page that it belongs to. */
  readonly oldestEventId: number;
  /** Events up to this one are in the session that the transcript was started with. */
  readonly sessionEventId: number;
  /** True while the agent's process is known to run. */
  readonly agentRuns: boolean;
}

/** Everything that a client shows of a session. Make one with `emptyTranscript` or `fromTranscriptPage`. */
export interface Transcript {
  /** Everything that was said and that happened, in order. */
  readonly items: ItemList<TranscriptItem>;
  /** Messages that wait for their turn, the next one first. Show them after `items`. */
  readonly queue: readonly UserItem[];
  /** True if the queue waits for `resume` or a new message since a restart of the daemon. */
  readonly queueHeld: boolean;
  /** Open permission requests, the oldest first. They are in `items`, too. */
  readonly permissions: readonly PermissionItem[];
  /** Open questions, the oldest first. They are in `items`, too. */
  readonly questions: readonly QuestionItem[];
  /** State of the session, as far as events show it: a restart of the daemon makes no event for an idle session. */
  readonly state: SessionState;
  readonly turn: RunningTurn | undefined;
  readonly plan: Plan | undefined;
  /** Tokens and cost of the whole session. */
  readonly usage: Usage | undefined;
  /** Commands that a message may begin with, after a slash. */
  readonly commands: readonly Command[];
  readonly choices: SessionChoices;
  readonly title: string | undefined;
  readonly continuity: Continuity | undefined;
  readonly ended: Ended | undefined;
  /** Id of the newest event that was applied: stream after this one. */
  readonly lastEventId: number;
  /** Cursor of the next older page; undefined if the transcript reaches back to the beginning. */
  readonly older: number | undefined;
  /** For the reducer only. */
  readonly index: TranscriptIndex;
}
