// `@sandbox-agent/ai-sdk`: sessions of sandbox-agent for `useChat` and for servers of the AI SDK.

export { loadMessages, runningTurn } from "./history.ts";
export {
  PLAN_APPROVAL_TOOL,
  QUESTION_TOOL,
  type QuestionInput,
  type QuestionOutput,
  type SandboxAgentData,
  type SandboxAgentMessage,
  type SandboxAgentMetadata,
} from "./message.ts";
export {
  type ResponseOptions,
  type StreamOptions,
  type TurnPart,
  toUIMessageStream,
  toUIMessageStreamResponse,
} from "./stream.ts";
export { isAnswered, openSession, type SubmitOptions, submitMessages } from "./submit.ts";
export { SandboxAgentChatTransport, type SandboxAgentChatTransportOptions } from "./transport.ts";
