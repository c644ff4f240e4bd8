// A program with an embedded daemon that runs an agent and a process. It ends in the way that it is asked for.

import { once } from "node:events";
import { spawnSandboxAgent } from "../../src/node/index.ts";

const daemon = await spawnSandboxAgent({ log: (line) => process.stderr.write(`${line}\n`) });

async function post(path: string, body: unknown): Promise<void> {
  const headers = { Authorization: `Bearer ${daemon.token}`, "Content-Type": "application/json" };
  const answer = await fetch(daemon.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  await answer.text();
}

await post("/v1/sessions/one", { agent: "demo" });
await post("/v1/sessions/one/messages", { message: "hang" });
// A process that ignores polite requests, with a child in another session.
await post("/v1/processes", {
  command: "sh",
  args: ["-c", "trap '' TERM HUP INT; setsid sleep 1000 & sleep 1000"],
});
process.stdout.write(`${daemon.pid}\n`);
await once(process.stdin, "data");
process.stdin.destroy();

const ways: Record<string, () => unknown> = {
  nothing: () => undefined,
  dispose: () => daemon.dispose(),
  exit: () => process.exit(3),
  throw: () =>
    setImmediate(() => {
      throw new Error("uncaught");
    }),
  reject: () => void Promise.reject(new Error("unhandled")),
  wait: () => new Promise((resolve) => setTimeout(resolve, 60_000)),
};
await ways[process.argv[2] ?? "nothing"]?.();
