// The scripted model behind real agents: `sandbox-agent model`.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { binary } from "@sandbox-agent/testkit";

export interface ModelRequest {
  path: string;
  model?: string;
  /** Absent for requests without one, such as those for a list of models. */
  body: Record<string, unknown> | null;
}

export class ModelServer {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<ModelServer> {
    const child = spawn(binary, ["model"], { env: {}, stdio: ["ignore", "pipe", "ignore"] });
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^listening on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) {
        child.stdout.resume();
        return new ModelServer(child, url);
      }
    }
    throw new Error("the model server did not start");
  }

  /** Returns the requests since the last `clear`. */
  async requests(): Promise<ModelRequest[]> {
    return (await (await fetch(`${this.url}/_model/requests`)).json()) as ModelRequest[];
  }

  async clear(): Promise<void> {
    await (await fetch(`${this.url}/_model/requests`, { method: "DELETE" })).arrayBuffer();
  }

  /** Returns the bodies of requests in which the agent offers its tools: the conversation, no calls on the side. */
  async conversations(): Promise<Record<string, unknown>[]> {
    const bodies = (await this.requests())
      .filter(({ path }) => !path.includes("count_tokens"))
      .flatMap(({ body }) => (body === null ? [] : [body]));
    return bodies.filter((body) => {
      const brought = list(body["input"]).some((item) => item["type"] === "additional_tools");
      return brought || list(body["tools"]).length > 0;
    });
  }

  /** Returns everything that was said in the last conversation, as JSON. */
  async lastDialogue(): Promise<string> {
    const last = (await this.conversations()).at(-1) ?? {};
    return JSON.stringify(last["messages"] ?? last["input"] ?? null);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
