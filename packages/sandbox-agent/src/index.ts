// Public API of the core.

export { SandboxAgentClient } from "./agent-client/client.ts";
export {
  AgentCallError,
  AgentEndedError,
  type AgentExitInfo,
  AlreadyConnectedError,
  NotConnectedError,
  UnsupportedCallError,
} from "./agent-client/errors.ts";
export { PermissionAsk, type PermissionAskOption, QuestionAsk } from "./agent-client/requests.ts";
export type * from "./agent-client/types.ts";
export type { AgentQuery, Agents, InstallOptions } from "./agents/agents.ts";
export { Installation } from "./agents/installation.ts";
export { type ConnectOptions, SandboxAgent, type StartOptions } from "./client.ts";
export type { Config, Entries } from "./config/config.ts";
export type { ServerEvent, Servers } from "./daemon/servers.ts";
export type { Tickets } from "./daemon/tickets.ts";
export type { UsageQuery, UsageReports } from "./daemon/usage.ts";
export * from "./errors/errors.ts";
export {
  AgentNotInstalledError,
  AgentNotStartableError,
  AgentProcessExitedError,
  AgentRefusedError,
  AgentSilentError,
  ConflictError,
  CredentialsRefusedError,
  InquiryFailedError,
  InstallFailedError,
  InsufficientStorageError,
  InternalError,
  InvalidAnswerError,
  InvalidRequestError,
  InvalidValueError,
  MethodNotAllowedError,
  NotAcceptableError,
  NotFoundError,
  PayloadTooLargeError,
  PermissionDeniedError,
  PreconditionFailedError,
  type ProblemCode,
  ProblemError,
  ProviderUnreachableError,
  RangeNotSatisfiableError,
  RequestTimeoutError,
  ResourceExhaustedError,
  ShuttingDownError,
  SpawnFailedError,
  StreamFailedError,
  TokenInvalidError,
  TooManyRequestsError,
  UnsupportedAgentError,
  UnsupportedError,
  UnsupportedMediaTypeError,
  UnsupportedPlatformError,
  VersionNotFoundError,
} from "./errors/problems.ts";
export type { FileContentSource, PathLike } from "./files/content.ts";
export type {
  DownloadOptions,
  EntryPage,
  FileHead,
  Files,
  ReadOptions,
  SearchQuery,
  WriteOptions,
} from "./files/files.ts";
export type { WatchEvent, WatchOptions } from "./files/watch.ts";
export type * from "./generated/openapi.gen.ts";
export type { Session as SessionInfo, Turn as TurnInfo } from "./generated/openapi.gen.ts";
export type { StreamOptions } from "./http/event-stream.ts";
export type { HttpOptions, RequestOptions } from "./http/http.ts";
export { type FollowOptions, type ProcessLogPage, ProcessOutput } from "./processes/output.ts";
export type { LogsQuery, Processes, ProcessInput } from "./processes/processes.ts";
export { Terminal, type TerminalOptions } from "./processes/terminal.ts";
export { TerminalError } from "./processes/terminal-connection.ts";
export type { DaemonOptions, Program } from "./providers/daemon.ts";
export type * from "./providers/provider.ts";
export { SandboxStartError } from "./providers/provider.ts";
export type { EventOptions, EventPageQuery, EventSelection } from "./sessions/events.ts";
export {
  type PermissionHandler,
  PermissionPrompt,
  type QuestionHandler,
  QuestionPrompt,
} from "./sessions/prompts.ts";
export { type MessagesQuery, type SendOptions, Session } from "./sessions/session.ts";
export type { CreateOptions, Sessions, SessionsQuery } from "./sessions/sessions.ts";
export { Turn } from "./sessions/turn.ts";
export { MessageWithdrawnError, TurnFailedError, type TurnResult } from "./sessions/turn-result.ts";
export { verifyWebhook, type WebhookRequest, type WebhookVerification } from "./webhooks/verify.ts";
