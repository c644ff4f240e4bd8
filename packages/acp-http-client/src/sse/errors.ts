// Errors of streams of server-sent events.

/** An event exceeds `maxEventBytes`. Reconnecting would meet the same event again, so it is fatal. */
export class EventTooLargeError extends Error {
  override readonly name = "EventTooLargeError";
  /** The limit in bytes. */
  readonly maxEventBytes: number;

  constructor(maxEventBytes: number) {
    super(`event exceeds ${maxEventBytes} bytes; raise maxEventBytes`);
    this.maxEventBytes = maxEventBytes;
  }
}

/** The server did not answer with a stream of events. */
export class StreamResponseError extends Error {
  override readonly name = "StreamResponseError";
  /** HTTP status. */
  readonly status: number;
  /** Start of the body, at most 64 KiB. */
  readonly body: string;
  readonly headers: Headers;
  /** Wait that the server asks for with `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, body: string) {
    super(message(response));
    this.status = response.status;
    this.body = body;
    this.headers = response.headers;
    this.retryAfterMs = parseRetryAfter(response.headers.get("Retry-After"));
  }
}

/** Nothing arrived for `idleMs`, not even a heartbeat. */
export class IdleTimeoutError extends Error {
  override readonly name = "IdleTimeoutError";
  readonly idleMs: number;

  constructor(idleMs: number) {
    super(`no bytes received for ${idleMs} ms`);
    this.idleMs = idleMs;
  }
}

/** The server closed the stream. Reported to `onReconnect`, and thrown once no attempt is left. */
export class StreamEndedError extends Error {
  override readonly name = "StreamEndedError";

  constructor() {
    super("the server closed the event stream");
  }
}

function message(response: Response): string {
  if (!response.ok) return `event stream refused with status ${response.status}`;
  const type = response.headers.get("Content-Type") ?? "none";
  return `expected text/event-stream, received content type ${type}`;
}

/** Returns the milliseconds that a `Retry-After` header asks for: seconds or a date. */
export function parseRetryAfter(value: string | null, now: number = Date.now()): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
