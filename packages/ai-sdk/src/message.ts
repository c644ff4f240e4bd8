// The shape of the messages that the AI SDK keeps for a session.

import type { UIMessage } from "ai";
import type { Notice, Plan, QuestionRequest, StopReason, Usage } from "sandbox-agent";

/** Metadata of the agent's messages, and of the user's that were loaded. A chat that continues a turn sends it back. */
export interface SandboxAgentMetadata {
  sessionId?: string;
  turnId?: string;
  /** The newest event in the message. A stream that continues the message starts after it. */
  lastEventId?: number;
  /** Present once the turn has ended. */
  stopReason?: StopReason;
  usage?: Usage;
}

/** Data parts of the agent's messages: `data-plan`, `data-usage`, `data-notice`. */
export type SandboxAgentData = {
  plan: Plan;
  usage: Usage;
  notice: Notice;
};

/** A message of a session, for `useChat<SandboxAgentMessage>`. */
export type SandboxAgentMessage = UIMessage<SandboxAgentMetadata, SandboxAgentData>;

/** Names of the tools through which an agent asks the user. Their input is the request. */
export const QUESTION_TOOL = "question";
export const PLAN_APPROVAL_TOOL = "plan_approval";

/** Input of the tools `question` and `plan_approval`. */
export type QuestionInput = QuestionRequest;

/** Output of the tools `question` and `plan_approval`: one list for each question, or nothing to decline. */
export interface QuestionOutput {
  answers?: string[][];
  /** Set by the daemon once the answer has arrived. */
  outcome?: string;
}
