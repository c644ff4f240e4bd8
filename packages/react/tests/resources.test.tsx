// Agents, files, processes and terminals against the real daemon.

import "./dom.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { SandboxAgentProvider, useAgents, useFiles, useProcesses, useTerminal } from "../src/index.ts";
import { countingFetch } from "./counting-fetch.ts";

class Screen {
  text = "";

  onData(bytes: Uint8Array): void {
    this.text += new TextDecoder().decode(bytes);
  }
}

let daemon: Daemon;
const counting = countingFetch();
const patience = { timeout: 20_000 };

function wrapper({ children }: { children: ReactNode }): ReactNode {
  return (
    <SandboxAgentProvider {...daemon.connection} fetch={counting.fetch}>
      {children}
    </SandboxAgentProvider>
  );
}

beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.stop());
afterEach(async () => {
  cleanup();
  await waitFor(() => expect(counting.open()).toEqual([]), patience);
});

test("agents, and an installation that fails", async () => {
  const { result } = renderHook(() => useAgents(), { wrapper });
  await waitFor(() => expect(result.current.loading.state).toBe("ready"), patience);
  expect(result.current.agents.map(({ id }) => id)).toContain("demo");
  act(() => void result.current.install("no-such-agent"));
  await waitFor(() => expect(result.current.installations["no-such-agent"]?.state).toBe("failed"), patience);
});

test("a directory is followed, and a conflict is a result", async () => {
  const { result } = renderHook(() => useFiles(daemon.home), { wrapper });
  await waitFor(() => expect(result.current.loading.state).toBe("ready"), patience);
  const path = join(daemon.home, "notes.txt");
  writeFileSync(path, "one");
  await waitFor(
    () => expect(result.current.entries.map(({ name }) => name)).toContain("notes.txt"),
    patience,
  );
  const { text, etag } = await result.current.read(path);
  expect(text).toBe("one");
  expect(await result.current.write(path, "two", { ifMatch: etag })).toEqual({ state: "written" });
  expect(await result.current.write(path, "three", { ifMatch: etag })).toEqual({ state: "conflict" });
  expect((await result.current.read(path)).text).toBe("two");
});

test("a directory that is not there fails, and a refresh follows it once it is", async () => {
  const path = join(daemon.home, "later");
  const { result } = renderHook(() => useFiles(path), { wrapper });
  await waitFor(() => expect(result.current.loading.state).toBe("failed"), patience);
  await act(() => result.current.mkdir(path));
  act(() => result.current.refresh());
  await waitFor(() => expect(result.current.loading.state).toBe("ready"), patience);
  writeFileSync(join(path, "notes.txt"), "one");
  await waitFor(() => expect(result.current.entries.length).toBe(1), patience);
});

test("a terminal: input, output, size, a second look, exit", async () => {
  const processes = renderHook(() => useProcesses({ refreshMs: 200 }), { wrapper });
  await waitFor(() => expect(processes.result.current.loading.state).toBe("ready"), patience);
  const request = { command: "sh", args: ["-c", "read x; echo got $x; read y; stty size"], tty: true };
  const { id } = await act(() => processes.result.current.create(request));
  await waitFor(
    () => expect(processes.result.current.processes.map((one) => one.id)).toContain(id),
    patience,
  );

  const [first, second] = [new Screen(), new Screen()];
  const one = renderHook(() => useTerminal(id), { wrapper });
  await waitFor(() => expect(one.result.current.state).toBe("attached"), patience);
  one.result.current.show(first);
  expect(one.result.current.write("hello\n")).toBe(true);
  await waitFor(() => expect(first.text).toContain("got hello"), patience);
  one.unmount();
  await waitFor(
    () => expect(counting.open().filter((path) => path.includes("/logs/sse"))).toEqual([]),
    patience,
  );

  const two = renderHook(() => useTerminal(id), { wrapper });
  two.result.current.show(second);
  await waitFor(() => expect(second.text).toContain("got hello"), patience);
  two.result.current.resize({ cols: 101, rows: 33 });
  two.result.current.write("\n");
  await waitFor(
    () => expect(two.result.current).toMatchObject({ state: "exited", exit: { exitCode: 0 } }),
    patience,
  );
  expect(second.text).toContain("33 101");
});
