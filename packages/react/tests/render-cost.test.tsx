// The cost of a piece of a message in a transcript of 20,000 items.

import "./dom.ts";
import { act, cleanup, render, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { SandboxAgent } from "sandbox-agent";
import { afterEach, expect, test } from "vitest";
import { type ItemSlots, SandboxAgentProvider, Transcript, useSession } from "../src/index.ts";

const ITEMS = 20_000;

afterEach(cleanup);

/** A daemon with one long session whose stream the test writes. */
function longSession(): { fetch: typeof fetch; write(event: object): void } {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const messages = Array.from({ length: ITEMS }, (_, index) => ({
    id: `m${index}`,
    role: "assistant",
    state: "complete",
    eventId: index + 1,
    timestamp: "2026-01-01T00:00:00.000Z",
    parts: [{ type: "text", text: `${index}` }],
  })).toReversed();
  const info = {
    sessionId: "s",
    state: "running",
    lastEventId: ITEMS,
    permissions: [],
    questions: [],
    queue: [],
  };
  const send: typeof fetch = async (input) => {
    const { pathname } = new URL(String(input));
    if (pathname.endsWith("/messages"))
      return Response.json({ messages, eventsAfter: ITEMS, hasMore: false });
    if (pathname.endsWith("/events")) return Response.json({ events: [], hasMore: false, next: 0 });
    if (!pathname.endsWith("/sse")) return Response.json(info);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller;
      },
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  let id = ITEMS;
  const write = (data: object): void => {
    id += 1;
    const event = { id, type: Object.keys(data)[0], data, timestamp: "", sessionId: "s", agent: "demo" };
    stream?.enqueue(new TextEncoder().encode(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`));
  };
  return { fetch: send, write };
}

const renders = { items: 0, session: 0 };
const slots: ItemSlots = {
  assistant: ({ item }) => {
    renders.items += 1;
    return item.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  },
};

const patience = { timeout: 50_000 };

function State(): ReactNode {
  renders.session += 1;
  return useSession("s").state;
}

test("a piece renders one item, pieces of one frame render once, and useSession does not render", async () => {
  const { fetch, write } = longSession();
  const client = SandboxAgent.open({ baseUrl: "http://127.0.0.1:1", fetch });
  const view = render(
    <SandboxAgentProvider client={client}>
      <Transcript sessionId="s" slots={slots} />
      <State />
    </SandboxAgentProvider>,
  );
  const shown = (): number => view.container.querySelectorAll("article").length;
  await waitFor(() => expect(shown()).toBe(ITEMS), patience);
  await waitFor(() => expect(view.getByRole("log").dataset["connection"]).toBe("live"), patience);
  Object.assign(renders, { items: 0, session: 0 });
  const changed = new Set<Node>();
  const observer = new MutationObserver((records) => {
    for (const { target } of records) changed.add(target);
  });
  observer.observe(view.container, { subtree: true, childList: true, characterData: true, attributes: true });
  await act(async () => {
    for (let piece = 0; piece < 100; piece += 1) {
      write({ messageDelta: { messageId: "new", kind: "text", text: "word " } });
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  await waitFor(() => expect(view.container.textContent).toContain("word ".repeat(100).trimEnd()), patience);
  observer.disconnect();
  // A frame or a few, however loaded the machine is, instead of 100; never the other 20,000 items.
  expect(renders.items).toBeLessThanOrEqual(10);
  expect(renders.session).toBe(0);
  expect(changed.size).toBeGreaterThan(0);
  expect(changed.size).toBeLessThanOrEqual(10);
}, 120_000);
