// Ways to leave work unfinished. Each settles, and nothing of it may keep a program alive or reject unnoticed.

import { startTcpProxy } from "@sandbox-agent/testkit";
import {
  ConnectionError,
  NotFoundError,
  SandboxAgent,
  SandboxAgentError,
  type Session,
  TurnFailedError,
} from "sandbox-agent";

type Scenario = (client: SandboxAgent) => Promise<void>;

const demo = (client: SandboxAgent): Promise<Session> => client.sessions.create({ agent: "demo" });

async function expectError(
  work: PromiseLike<unknown>,
  type: abstract new (...args: never[]) => unknown,
): Promise<void> {
  const error = await Promise.resolve(work).then(
    () => new Error("it succeeded"),
    (error: unknown) => error,
  );
  if (!(error instanceof type))
    throw new Error(`expected ${type.name}, got ${String(error)}`, { cause: error });
}

export const SCENARIOS: Record<string, Scenario> = {
  "break out of events": async (client) => {
    for await (const _ of (await demo(client)).events()) break;
  },
  "break out of a turn, and leave it alone": async (client) => {
    const session = await demo(client);
    for await (const event of session.send("say one\nhang")) if (event.type === "messageDelta") break;
    session.send("say nobody looks");
  },
  "a turn with a handler that nobody awaits": async (client) => {
    const session = await demo(client);
    const asked = new Promise<void>((resolve) => {
      session.onPermission(async (permission) => {
        await permission.allowOnce();
        resolve();
      });
    });
    session.send("permission Go");
    await asked;
  },
  "a message that is refused, and nobody looks": async (client) => {
    const session = await demo(client);
    await session.delete();
    session.send("say lost");
    await expectError(session.send("say lost").accepted, NotFoundError);
  },
  "an agent that crashes": async (client) => {
    const session = await demo(client);
    const turn = session.send("crash 3");
    await expectError(turn.done, TurnFailedError);
    for await (const _ of turn);
  },
  "break out of a watch": async (client) => {
    await client.fs.mkdir("watched");
    for await (const _ of client.fs.watch("watched")) break;
  },
  "break out of a log": async (client) => {
    const { id } = await client.processes.create({ command: "sh", args: ["-c", "echo up; sleep 600"] });
    for await (const _ of client.processes.follow(id)) break;
  },
  "break out of listings and searches": async (client) => {
    await client.fs.write("listed/a", "");
    await client.fs.write("listed/b", "");
    await demo(client);
    await demo(client);
    for await (const _ of client.fs.entries("listed", { limit: 1 })) break;
    for await (const _ of client.fs.search({ path: "listed", name: "*", limit: 1 })) break;
    for await (const _ of client.sessions.list({ limit: 1 })) break;
  },
  "break out of an installation": async (client) => {
    for await (const _ of client.agents.install("demo")) break;
    client.agents.install("nobody");
    await expectError(client.agents.install("nobody"), NotFoundError);
  },
  "break out of a terminal and close it": async (client) => {
    const command = { command: "sh", args: ["-c", "echo up; sleep 600"], tty: true };
    for (const transport of ["websocket", "requests"] as const) {
      const { id } = await client.processes.create(command);
      await using terminal = await client.processes.terminal(id, { transport });
      for await (const _ of terminal) break;
    }
  },
  "a terminal that ends with its process": async (client) => {
    const { id } = await client.processes.create({ command: "cat", tty: true });
    const terminal = await client.processes.terminal(id, { transport: "websocket" });
    terminal.write("hello\n\u0004");
    let seen = "";
    for await (const bytes of terminal) seen += new TextDecoder().decode(bytes);
    const { exitCode } = await terminal.exit;
    if (exitCode !== 0 || !seen.includes("hello\r\nhello")) throw new Error(`${exitCode} ${seen}`);
  },
  "a terminal whose connection is lost and found": async ({ baseUrl, token }) => {
    for (const transport of ["websocket", "requests"] as const) {
      await using gateway = await startTcpProxy(baseUrl);
      const client = await SandboxAgent.connect({ baseUrl: gateway.baseUrl, ...(token && { token }) });
      const script = "echo up; while read line; do echo got $line; done";
      const { id } = await client.processes.create({ command: "sh", args: ["-c", script], tty: true });
      await using terminal = await client.processes.terminal(id, { transport });
      let screen = "";
      let resets = 0;
      terminal.onReset(() => {
        screen = "";
        resets += 1;
      });
      const shows = (text: string): Promise<void> =>
        new Promise((resolve) => {
          const remove = terminal.onData((bytes) => {
            screen += new TextDecoder().decode(bytes);
            if (!screen.includes(text)) return;
            remove();
            resolve();
          });
        });
      await shows("up");
      gateway.cut();
      const got = shows("got typed");
      while (resets === 0 && transport === "websocket") await new Promise((resume) => setTimeout(resume, 5));
      // A request that is lost cannot be repeated, as it may have been received. Afterwards there are no broken ones left.
      await client.health();
      terminal.write("typed\n");
      await got;
      const expected = "up\r\ntyped\r\ngot typed\r\n";
      if (!expected.startsWith(screen.trimEnd())) throw new Error(`${transport}: ${JSON.stringify(screen)}`);
    }
  },
  "streams that are cancelled": async (client) => {
    await client.fs.write("large", new Uint8Array(3_000_000));
    const reader = (await client.fs.readStream("large")).getReader();
    await reader.read();
    await reader.cancel();
    await (await client.fs.downloadBatch()).cancel();
    await (await (await demo(client)).export()).cancel();
  },
  "iterators that were never started": async (client) => {
    const session = await demo(client);
    session.events();
    session.send("say hi")[Symbol.asyncIterator]();
    client.fs.watch();
    client.processes.follow("nobody");
  },
  "calls that are aborted": async (client) => {
    const session = await demo(client);
    const controller = new AbortController();
    const { signal } = controller;
    const turn = session.send("hang", { signal });
    await turn.accepted;
    const pending = [
      turn.done,
      session.events({ signal, after: 1000 }).next(),
      client.fs
        .watch(".", { signal })
        .next()
        .then(
          () =>
            new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason));
            }),
        ),
      client.processes.run({ command: "sleep", args: ["600"] }, { signal }),
    ];
    controller.abort(new ConnectionError("enough"));
    for (const one of pending) await expectError(one, ConnectionError);
  },
  "nobody there": async (client) => {
    const reconnect = { initialMs: 1, maxMs: 2, attempts: 2 };
    const options = { baseUrl: "http://127.0.0.1:1", healthTimeoutMs: 0, retry: reconnect, reconnect };
    const lost = await SandboxAgent.connect(options);
    await expectError(lost.health(), ConnectionError);
    await expectError(lost.sessions.create({ agent: "demo" }), ConnectionError);
    await expectError(lost.fs.watch().next(), ConnectionError);
    await expectError(lost.processes.follow("x").next(), ConnectionError);
    await expectError(lost.processes.terminal("x"), ConnectionError);
    await expectError(lost.agents.install("demo"), ConnectionError);
    lost.agents.install("demo");
    await expectError(SandboxAgent.connect({ ...options, healthTimeoutMs: 50 }), SandboxAgentError);
    await client.health();
  },
};
