// The hooks against the real daemon.

import "./dom.ts";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { act, cleanup, render, renderHook, waitFor } from "@testing-library/react";
import { type ReactNode, StrictMode } from "react";
import { SandboxAgent } from "sandbox-agent";
import { textOf } from "sandbox-agent/transcript";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { SandboxAgentProvider, useSession, useSessions, useTranscript } from "../src/index.ts";
import { countingFetch } from "./counting-fetch.ts";

let daemon: Daemon;
const patience = { timeout: 20_000 };

beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.stop());
afterEach(cleanup);

function connect(): { client: SandboxAgent; counting: ReturnType<typeof countingFetch> } {
  const counting = countingFetch();
  return { client: SandboxAgent.open({ ...daemon.connection, fetch: counting.fetch }), counting };
}

const within =
  (client: SandboxAgent) =>
  ({ children }: { children: ReactNode }) => (
    <SandboxAgentProvider client={client}>{children}</SandboxAgentProvider>
  );

function useBoth(id: string): {
  session: ReturnType<typeof useSession>;
  transcript: ReturnType<typeof useTranscript>;
} {
  return { session: useSession(id), transcript: useTranscript(id) };
}

const saidIn = ({ transcript }: ReturnType<typeof useBoth>): string[] =>
  transcript.items.toArray().flatMap((item) => (item.kind === "assistant" ? [textOf(item)] : []));

const State = ({ id }: { id: string }): ReactNode => useSession(id).state;
const Count = ({ id }: { id: string }): ReactNode => useTranscript(id).connection.state;

describe("a session", () => {
  test("send, stream, permission, answer; a new mount has the same transcript", async () => {
    const { client, counting } = connect();
    const { id } = await client.sessions.create({ agent: "demo" });
    const { result, unmount } = renderHook(() => useBoth(id), { wrapper: within(client) });
    expect(result.current.session.status).toBe("loading");
    await waitFor(() => expect(result.current.transcript.connection.state).toBe("live"), patience);
    act(() => void result.current.session.send("say Hello\npermission Send it off\nsay bye"));
    await waitFor(() => expect(result.current.session.permissions.length).toBe(1), patience);
    expect(result.current.session.state).toBe("requiresAction");
    expect(saidIn(result.current)).toContain("Hello");
    const permission = result.current.session.permissions[0];
    act(() => void result.current.session.replyPermission(permission?.id ?? "", { reply: "once" }));
    await waitFor(() => expect(result.current.session.state).toBe("idle"), patience);
    expect(saidIn(result.current)).toContain("bye");
    // The session is read again after its turn; then only the stream stays open.
    const stream = `/v1/sessions/${id}/events/sse`;
    await waitFor(() => expect(counting.open()).toEqual([stream]), patience);
    const before = result.current.transcript.items.toArray();
    unmount();
    await waitFor(() => expect(counting.open()).toEqual([]), patience);

    const other = connect();
    const again = renderHook(() => useBoth(id), { wrapper: within(other.client) });
    await waitFor(() => expect(again.result.current.session.status).toBe("ready"), patience);
    const plain = (items: typeof before): unknown[] => items.map(({ position: _, ...item }) => item);
    expect(plain([...again.result.current.transcript.items])).toEqual(plain(before));
  });

  test("two components share one stream, also in StrictMode; requests end with the last of them", async () => {
    const { client, counting } = connect();
    const { id } = await client.sessions.create({ agent: "demo" });
    const requests = counting.requests.length;
    const both = (
      <StrictMode>
        <SandboxAgentProvider client={client}>
          <p data-testid="state">
            <State id={id} />
          </p>
          <p data-testid="count">
            <Count id={id} />
          </p>
        </SandboxAgentProvider>
      </StrictMode>
    );
    const view = render(both);
    await waitFor(() => expect(view.getByTestId("count").textContent).toBe("live"), patience);
    const streams = counting.requests.slice(requests).filter((request) => request.endsWith("/events/sse"));
    expect(streams.length).toBe(1);
    expect(
      counting.requests.slice(requests).filter((one) => one === `GET /v1/sessions/${id}/messages`).length,
    ).toBe(1);
    view.unmount();
    await waitFor(() => expect(counting.open()).toEqual([]), patience);
  });

  test("goes through a restart of the daemon", async () => {
    const { client } = connect();
    const { id } = await client.sessions.create({ agent: "demo", permissionMode: "bypass" });
    const { result } = renderHook(() => useBoth(id), { wrapper: within(client) });
    await waitFor(() => expect(result.current.transcript.connection.state).toBe("live"), patience);
    act(() => void result.current.session.send("stream 2000 10 every 2"));
    await waitFor(() => expect(saidIn(result.current).join("").length).toBeGreaterThan(100), patience);
    const states = new Set<string>();
    await act(async () => {
      await daemon.kill();
    });
    await waitFor(() => {
      states.add(result.current.transcript.connection.state);
      expect(result.current.transcript.connection).toMatchObject({
        state: "reconnecting",
        retryAt: expect.any(Number),
      });
    }, patience);
    await act(async () => {
      await daemon.start();
    });
    await waitFor(() => expect(result.current.transcript.connection.state).toBe("live"), patience);
    await waitFor(() => expect(result.current.session.state).toBe("interrupted"), patience);
    act(() => void result.current.session.send("say back"));
    await waitFor(() => expect(saidIn(result.current)).toContain("back"), patience);
    const kinds = result.current.transcript.items.toArray().map((item) => item.kind);
    expect(kinds).toContain("continuity");
  });

  test("queue, withdraw, cancel", async () => {
    const { client } = connect();
    const { id } = await client.sessions.create({ agent: "demo" });
    const { result } = renderHook(() => useBoth(id), { wrapper: within(client) });
    act(() => void result.current.session.send("hang"));
    await waitFor(() => expect(result.current.session.turn).toBeDefined(), patience);
    act(() => void result.current.session.send("say later"));
    act(() => void result.current.session.send("say never"));
    await waitFor(() => expect(result.current.session.queue.length).toBe(2), patience);
    const last = result.current.session.queue[1];
    act(() => void result.current.session.withdraw(last?.id ?? ""));
    await waitFor(() => expect(result.current.session.queue.length).toBe(1), patience);
    act(() => void result.current.session.cancel());
    await waitFor(() => expect(result.current.session.isBusy).toBe(false), patience);
  });

  test("settings, and failures that nobody awaits", async () => {
    const { client } = connect();
    const { id } = await client.sessions.create({ agent: "demo" });
    const { result } = renderHook(() => useBoth(id), { wrapper: within(client) });
    act(() => void result.current.session.change({ title: "Mine", model: "demo-large" }));
    await waitFor(() => expect(result.current.session.choices.model).toBe("demo-large"), patience);
    await waitFor(() => expect(result.current.session.info?.title).toBe("Mine"), patience);
    act(() => void result.current.session.change({ model: "" }));
    await waitFor(() => expect(result.current.session.failure?.action).toBe("change"), patience);
    act(() => result.current.session.dismissFailure());
    expect(result.current.session.failure).toBeUndefined();
  });

  test("that does not exist is a failure, not an exception", async () => {
    const { client } = connect();
    const { result } = renderHook(() => useBoth("nowhere"), { wrapper: within(client) });
    await waitFor(() => expect(result.current.session.status).toBe("failed"), patience);
    expect(result.current.session.connection).toMatchObject({
      state: "failed",
      error: { code: "not_found" },
    });
    await client.sessions.create({ agent: "demo", id: "nowhere" });
    act(() => result.current.session.retry());
    await waitFor(() => expect(result.current.session.status).toBe("ready"), patience);
  });
});

test("sessions are listed, created and removed", async () => {
  const { client, counting } = connect();
  const { result, unmount } = renderHook(() => useSessions({ metadata: { list: "one" }, refreshMs: 200 }), {
    wrapper: within(client),
  });
  await waitFor(() => expect(result.current.loading.state).toBe("ready"), patience);
  expect(result.current.sessions).toEqual([]);
  const id = await act(() => result.current.create({ agent: "demo", metadata: { list: "one" } }));
  await waitFor(
    () => expect(result.current.sessions.map(({ sessionId }) => sessionId)).toEqual([id]),
    patience,
  );
  act(() => void result.current.remove(id));
  await waitFor(() => expect(result.current.sessions).toEqual([]), patience);
  unmount();
  await waitFor(() => expect(counting.open()).toEqual([]), patience);
});
