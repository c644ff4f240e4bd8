// Server-sent events: a parser, delays between attempts, and streams that resume.

export { Backoff, type BackoffOptions, sleep } from "./backoff.ts";
export { DEFAULT_MAX_EVENT_BYTES, type ServerSentEvent } from "./decoder.ts";
export {
  EventTooLargeError,
  IdleTimeoutError,
  parseRetryAfter,
  StreamEndedError,
  StreamResponseError,
} from "./errors.ts";
export { type ParseOptions, parseServerSentEvents } from "./parse.ts";
export { readStart } from "./read-start.ts";
export { isFatalStreamError, type ResumeOptions, resumeEvents } from "./resume.ts";
