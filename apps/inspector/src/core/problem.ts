// Errors as product copy: what failed, what to do.

import { ConnectionError, ProblemError, TimeoutError } from "sandbox-agent";

export interface ErrorCopy {
  readonly title: string;
  readonly detail: string;
  readonly advice: string | undefined;
  readonly requestId: string | undefined;
}

const ADVICE: Record<string, string> = {
  token_invalid: "Copy the token that the daemon printed when it started, and connect again.",
  agent_not_installed: "Install the agent on Home, then try again.",
  agent_not_startable: "Run `sandbox-agent doctor` in the sandbox. It explains why the agent does not start.",
  credentials_refused: "Check the API key, or log in with the agent's own CLI.",
  provider_unreachable: "Check the network of the sandbox.",
  precondition_failed: "The file changed on disk since you opened it. Reload it, or overwrite it.",
  insufficient_storage: "Free some space in the sandbox, then try again.",
  too_many_requests: "Wait a moment, then try again.",
  not_found: "It may have been deleted in the meantime.",
  unsupported: "Choose one of the values that the agent offers.",
  resource_exhausted: "Stop some processes in the sandbox, then try again.",
  shutting_down: "The daemon is stopping. Start it again, then retry.",
};

export function describeError(error: unknown): ErrorCopy {
  if (error instanceof ProblemError) {
    const { problem, requestId } = error;
    return { title: problem.title, detail: problem.detail, advice: ADVICE[error.code], requestId };
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    const advice = "Check that the daemon runs and that its address is right.";
    return { title: "The daemon cannot be reached", detail, advice, requestId: undefined };
  }
  return { title: "Something went wrong", detail, advice: undefined, requestId: undefined };
}
