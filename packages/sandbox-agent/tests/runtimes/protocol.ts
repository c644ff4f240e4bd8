// How the harness, on Node.js, and the program in the runtime under test talk. The program asks for one job after
// the other over HTTP, since that is all that every runtime can do.

/** A case to run. */
export interface Job {
  suite: string;
  name: string;
  baseUrl: string;
  token: string;
}

export interface Outcome {
  /** Why the case failed. Absent if it passed. */
  error?: string;
  /** Unhandled rejections, uncaught errors, and everything written to the console since the last job. */
  complaints: string[];
}

/** Paths of the harness's server. `POST {COMMAND}/kill` and the like reach the daemon. */
export const NEXT_JOB = "/job";
export const OUTCOME = "/outcome";
export const COMMAND = "/command";
