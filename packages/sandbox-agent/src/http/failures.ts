// How failed requests become errors, and which of them are worth another attempt.

import { readStart } from "acp-http-client/sse";
import { ConnectionError, SandboxAgentError, UnexpectedResponseError } from "../errors/errors.ts";
import { isProblem, ProblemError, problemError, URN } from "../errors/problems.ts";
import type { Problem } from "../generated/openapi.gen.ts";

/** Returns the error for an answer that is not a success. */
export async function failure(response: Response): Promise<SandboxAgentError> {
  const text = await readStart(response);
  const problem = text === "" ? withoutBody(response) : parse(text);
  if (isProblem(problem)) return problemError(problem, response.headers.get("X-Request-Id") ?? undefined);
  const message =
    `expected an answer of sandbox-agent, got ${response.status} ${response.statusText}`.trimEnd();
  return new UnexpectedResponseError(message, response.status, text.slice(0, 500));
}

/** Codes of the problems that answer `HEAD`, whose answers have no body. */
const CODES: Record<number, string> = {
  400: "invalid_request",
  401: "token_invalid",
  403: "permission_denied",
  404: "not_found",
  409: "conflict",
  412: "precondition_failed",
  416: "range_not_satisfiable",
  500: "internal",
};

function withoutBody({ status, statusText, headers }: Response): Problem | undefined {
  const code = CODES[status];
  // Browsers that have the file in their cache answer 416 themselves, without the daemon's headers.
  const ours = status === 416 || headers.get("Content-Type")?.startsWith("application/problem+json");
  if (code === undefined || !ours) return undefined;
  const detail = `the daemon answered ${status} ${statusText}`.trimEnd();
  return { type: URN + code, title: statusText, status, detail };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether the same request may succeed later without any change. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof UnexpectedResponseError) return error.status >= 500 || error.status === 429;
  // Codes of this status: `shutting_down`, `resource_exhausted`.
  return error instanceof ProblemError && error.status === 503;
}

/** Turns an error of `fetch` into one of ours. */
export function connectionError(error: unknown, what: string): unknown {
  if (error instanceof SandboxAgentError) return error;
  const detail = error instanceof Error ? reason(error) : String(error);
  return new ConnectionError(`${what} failed: ${detail}`, { cause: error });
}

/** Returns the message of the innermost error, which says most: `fetch failed` says nothing. */
function reason(error: Error): string {
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}
