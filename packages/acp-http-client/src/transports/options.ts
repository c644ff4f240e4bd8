// Options that transports share, and their defaults.

import type { BackoffOptions } from "../sse/backoff.ts";
import { DEFAULT_MAX_EVENT_BYTES } from "../sse/decoder.ts";

export interface ReconnectOptions {
  /** Back-off of streams and sockets that broke: 40 attempts in a row between 200 ms and 10 s by default. */
  reconnect?: BackoffOptions | undefined;
  /** Largest message, 128 MiB by default. */
  maxMessageBytes?: number | undefined;
}

export interface HttpOptions extends ReconnectOptions {
  /** Back-off of messages that can be sent again safely: 6 attempts between 200 ms and 5 s by default. */
  retry?: BackoffOptions | undefined;
  /** Longest wait for the server to acknowledge a message, in milliseconds; 30,000 by default. */
  statusMs?: number | undefined;
  /** Reconnects a stream after this many milliseconds without a byte, 45,000 by default. 0 turns this off. */
  idleMs?: number | undefined;
}

export const DEFAULT_RECONNECT: BackoffOptions = { initialMs: 200, maxMs: 10_000, attempts: 40 };
export const DEFAULT_RETRY: BackoffOptions = { initialMs: 200, maxMs: 5_000, attempts: 6 };
export const DEFAULT_STATUS_MS = 30_000;
export const DEFAULT_MAX_MESSAGE_BYTES: number = DEFAULT_MAX_EVENT_BYTES;
