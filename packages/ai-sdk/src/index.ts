// `@sandbox-agent/ai-sdk`: sessions of sandbox-agent for `useChat` and for servers of the AI SDK.

export { loadMessages } from "./history.ts";
export {
  PLAN_APPROVAL_TOOL,
  QUESTION_TOOL,
  type QuestionInput,
  type QuestionOutput,
  type SandboxAgentData,
  type SandboxAgentMessage,
  type SandboxAgentMetadata,
} from "./message.ts";
export { type ResumeOptions, runningTurn, TURN_HEADER } from "./resume.ts";
export { ServerChatTransport, type ServerChatTransportOptions } from "./server-transport.ts";
export {
  type ResponseOptions,
  type StreamOptions,
  type TurnPart,
  toUIMessageStream,
  toUIMessageStreamResponse,
} from "./stream.ts";
export { isAnswered, openSession, type SubmitOptions, submitMessages } from "./submit.ts";
export { SandboxAgentChatTransport, type SandboxAgentChatTransportOptions } from "./transport.ts";
