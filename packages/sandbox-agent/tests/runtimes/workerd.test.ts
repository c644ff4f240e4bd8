// The portable cases in workerd, the runtime of Cloudflare's workers.

import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { workerdProgram } from "@sandbox-agent/testkit/runtimes";
import { declareTests } from "./declare-tests.ts";
import type { Runtime } from "./harness.ts";
import { bundleProgram, startProgram } from "./process-runtime.ts";
import { webSuites } from "./suites.ts";

const CONFIG = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "program", worker = (
      modules = [(name = "program.js", esModule = embed "program.js")],
      compatibilityDate = "2026-11-01",
      globalOutbound = "loopback",
    )),
    (name = "loopback", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "program")],
);
`;

declareTests(webSuites, async (harness): Promise<Runtime> => {
  const workplace = await bundleProgram(new URL("program.worker.ts", import.meta.url), "browser");
  const config = join(workplace.folder, "config.capnp");
  writeFileSync(config, CONFIG);
  const { child, runtime } = startProgram(workerdProgram(), ["serve", config, "--control-fd=3"], workplace, [
    "pipe",
  ]);
  const port = await listening(child.stdio[3] as Readable, runtime);
  // The server runs until it is stopped; the program in it has ended when its request is answered.
  const finished = request(`http://127.0.0.1:${port}/?harness=${encodeURIComponent(harness)}`);
  const ended = Promise.race([finished, runtime.ended]).then(async (complaints) => {
    child.kill("SIGTERM");
    const output = (await runtime.ended).filter((line) => line !== "ended with SIGTERM");
    return complaints === undefined ? output : [...new Set([...complaints, ...output])];
  });
  return { ended, kill: runtime.kill };
});

/** Waits until workerd reports the port that it listens on. */
async function listening(control: Readable, runtime: Runtime): Promise<number> {
  for await (const line of createInterface({ input: control })) {
    const message = JSON.parse(line) as { event: string; port: number };
    if (message.event === "listen") return message.port;
  }
  throw new Error(`workerd did not start\n${(await runtime.ended).join("\n")}`);
}

/** Resolves when the program has answered; with complaints if it failed. */
async function request(url: string): Promise<string[] | undefined> {
  return await new Promise((resolve) => {
    const fail = (error: unknown): void => resolve([String(error)]);
    get(url, (response) => {
      text(response).then(
        (body) => resolve(body === "finished" ? undefined : [`${response.statusCode}: ${body}`]),
        fail,
      );
    }).on("error", fail);
  });
}
