// Processes: commands, logs that are followed, input, limits, terminals.

import {
  ConflictError,
  NotFoundError,
  SandboxAgent,
  SandboxAgentError,
  type Terminal,
  TerminalError,
} from "sandbox-agent";
import { check, collect, first, rejection, same } from "./assert.ts";
import type { Case } from "./case.ts";

const shell = (script: string) => ({ command: "sh", args: ["-c", script] });

/** Reads a terminal until it has shown the text. */
async function until(terminal: Terminal, text: string): Promise<void> {
  const decoder = new TextDecoder();
  let seen = "";
  for await (const bytes of terminal) {
    seen += decoder.decode(bytes, { stream: true });
    if (seen.includes(text)) return;
  }
  throw new Error(`the terminal ended without ${JSON.stringify(text)}: ${JSON.stringify(seen)}`);
}

export const cases: Case[] = [
  {
    name: "a command runs to its end, or to its time limit",
    async run(environment) {
      const { processes } = await SandboxAgent.connect(environment);
      const done = await processes.run({ ...shell("echo out; echo err >&2; exit 3"), env: { A: "1" } });
      same([done.exitCode, done.stdout, done.stderr, done.timedOut], [3, "out\n", "err\n", false]);
      const slow = await processes.run({ ...shell("sleep 60"), timeoutMs: 50 });
      same(slow.timedOut, true);
      await rejection(processes.run({ command: "/does/not/exist" }), SandboxAgentError);
    },
  },
  {
    name: "output is followed to the exit, bytes and text alike",
    async run(environment) {
      const { processes } = await SandboxAgent.connect(environment);
      const script = "echo one; read line; printf '\\377'; echo two >&2; echo $line";
      const { id } = await processes.create(shell(script));
      const output = processes.follow(id);
      same((await output.next()).value?.text, "one\n");
      await processes.input(id, "three\n");
      const rest = await collect(output);
      check(
        rest.some((entry) => entry.bytes[0] === 255),
        "bytes that are not text arrive",
      );
      const errors = rest.filter((entry) => entry.stream === "stderr");
      same(
        errors.map((entry) => entry.text),
        ["two\n"],
      );
      check(
        rest
          .map((entry) => entry.text)
          .join("")
          .includes("three"),
        "the input was read",
      );
      same(await processes.wait(id), { exitCode: 0, signal: null, oomKilled: false });
      const page = await processes.logs(id, { limit: 1 });
      same([page.entries.length, page.hasMore], [1, true]);
      same(
        (await collect(processes.follow(id, { after: page.entries[0]?.sequence ?? 0 }))).length,
        rest.length,
      );
      await processes.delete(id);
      await rejection(processes.get(id), NotFoundError);
      await rejection(processes.follow(id).next(), NotFoundError);
    },
  },
  {
    name: "input ends, processes are stopped and killed, running ones are not deleted",
    async run(environment) {
      const { processes } = await SandboxAgent.connect(environment);
      const cat = await processes.create({ command: "cat" });
      await processes.input(cat.id, Uint8Array.of(104, 105));
      await processes.input(cat.id, { eof: true });
      same((await collect(processes.follow(cat.id))).map((entry) => entry.text).join(""), "hi");
      const [one, two] = [
        await processes.create(shell("sleep 600")),
        await processes.create(shell("sleep 600")),
      ];
      await rejection(processes.delete(one.id), ConflictError);
      await first(processes.follow(one.id, { signal: AbortSignal.timeout(1) })).catch(() => undefined);
      same((await processes.stop(one.id, { graceMs: 2000 })).status, "exited");
      same((await processes.kill(two.id)).signal, 9);
      const ids = (await processes.list()).map((process) => process.id);
      check(ids.includes(one.id) && ids.includes(two.id), "the list has them");
    },
  },
  {
    name: "limits of processes are read and changed",
    async run(environment) {
      const { processes } = await SandboxAgent.connect(environment);
      const { maxEndedProcesses } = await processes.config();
      const changed = await processes.setConfig({ maxEndedProcesses: maxEndedProcesses - 1 });
      same(changed.maxEndedProcesses, maxEndedProcesses - 1);
    },
  },
  {
    name: "a terminal is typed on, resized, left, attached again and ends with its process",
    async run(environment) {
      const { processes } = await SandboxAgent.connect(environment);
      const script =
        "stty size; while read line; do stty size; echo got $line; [ $line = quit ] && exit 3; done";
      const { id } = await processes.create({ ...shell(script), tty: true, cols: 90, rows: 30 });
      const transports =
        typeof WebSocket === "function" ? (["websocket", "requests"] as const) : (["requests"] as const);
      for (const transport of transports) {
        const terminal = await processes.terminal(id, { transport });
        await until(terminal, "30 90");
        terminal.resize({ cols: 100, rows: 40 });
        terminal.write("again\n");
        await until(terminal, "got again");
        terminal.close();
        await rejection(terminal.exit, TerminalError);
        same((await processes.resize(id, { cols: 90, rows: 30 })).cols, 90);
      }
      await using terminal = await processes.terminal(id);
      let seen = "";
      terminal.onData((bytes) => {
        seen += new TextDecoder().decode(bytes);
      });
      terminal.write("quit\n");
      same((await terminal.exit).exitCode, 3);
      check(seen.includes("40 100") && seen.includes("got quit"), seen);
      same(await collect(terminal), []);
      await rejection((async () => terminal.write("late"))(), TerminalError);
    },
  },
  {
    name: "a terminal that cannot be attached says why",
    async run(environment) {
      const { processes } = await SandboxAgent.connect(environment);
      await rejection(processes.terminal("nobody"), NotFoundError);
      const { id } = await processes.create(shell("sleep 600"));
      await rejection(processes.terminal(id), SandboxAgentError);
      await processes.kill(id);
    },
  },
  {
    name: "followers and terminals of a daemon that was restarted end with an error",
    async run(environment) {
      const { processes } = await SandboxAgent.connect(environment);
      const { id } = await processes.create({ ...shell("echo up; sleep 600"), tty: true });
      const terminal = await processes.terminal(id);
      await until(terminal, "up\r\n");
      const output = processes.follow(id);
      // The line may be two entries.
      for (let seen = ""; !seen.includes("up\r\n"); ) {
        const { value } = await output.next();
        check(value !== undefined, `the output ended after ${JSON.stringify(seen)}`);
        seen += value.text;
      }
      const failed = [rejection(output.next(), NotFoundError), rejection(terminal.exit, NotFoundError)];
      await environment.control("restart");
      await Promise.all(failed);
    },
  },
];
