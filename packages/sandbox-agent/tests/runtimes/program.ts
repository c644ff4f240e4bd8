// The part of every program under test that is the same in all runtimes: it runs cases until there are no more.

import type { Case, Command } from "../portable/index.ts";
import { COMMAND, type Job, NEXT_JOB, OUTCOME, type Outcome } from "./protocol.ts";

/** Runs the cases that the harness asks for. Resolves once it wants no more. */
export async function work(harness: string, suites: Record<string, Case[]>): Promise<void> {
  const complaints = observe();
  const post = (path: string, body?: unknown): Promise<Response> =>
    fetch(harness + path, { method: "POST", body: body === undefined ? null : JSON.stringify(body) });
  const control = async (command: Command): Promise<void> => {
    const response = await post(`${COMMAND}/${command}`);
    if (!response.ok) throw new Error(`the harness failed to ${command}: ${await response.text()}`);
  };
  for (;;) {
    const response = await post(NEXT_JOB);
    if (response.status === 204) return;
    const job = (await response.json()) as Job;
    const error = await attempt(suites, job, control);
    // A rejection counts as unhandled only once the queue of microtasks is empty.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const outcome: Outcome = { ...(error !== undefined && { error }), complaints: complaints.splice(0) };
    await (await post(OUTCOME, outcome)).arrayBuffer();
  }
}

async function attempt(
  suites: Record<string, Case[]>,
  { suite, name, baseUrl, token }: Job,
  control: (command: Command) => Promise<void>,
): Promise<string | undefined> {
  try {
    const found = suites[suite]?.find((one) => one.name === name);
    if (found === undefined) throw new Error(`this program has no case '${name}' in '${suite}'`);
    await found.run({ baseUrl, token, control });
    return undefined;
  } catch (error) {
    return describe(error);
  }
}

/** Returns a list that grows with everything that goes wrong outside of a case. */
function observe(): string[] {
  const complaints: string[] = [];
  const complain = (what: string, error: unknown): void => {
    complaints.push(`${what}: ${describe(error)}`);
  };
  if (globalThis.process?.versions?.["bun"] !== undefined) {
    process.on("unhandledRejection", (reason) => complain("unhandled rejection", reason));
    process.on("uncaughtException", (error) => complain("uncaught error", error));
  } else {
    globalThis.addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      complain("unhandled rejection", event.reason);
    });
    globalThis.addEventListener("error", (event) => complain("uncaught error", event.error ?? event.message));
  }
  for (const level of ["error", "warn"] as const) {
    console[level] = (...words: unknown[]) => complain(`console.${level}`, words.map(String).join(" "));
  }
  return complaints;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by: ${describe(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
