// The parser of server-sent events: every line end, every cut, every limit.

import { EventTooLargeError, parseServerSentEvents, type ServerSentEvent } from "acp-http-client/sse";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const encoder = new TextEncoder();

function body(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function parse(chunks: Iterable<Uint8Array>, maxEventBytes?: number): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  const options = maxEventBytes === undefined ? {} : { maxEventBytes };
  for await (const event of parseServerSentEvents(body(chunks), options)) events.push(event);
  return events;
}

const parseText = (text: string): Promise<ServerSentEvent[]> => parse([encoder.encode(text)]);

describe("fields", () => {
  const cases: [
    name: string,
    text: string,
    events: [event: string, data: string, id: string | undefined][],
  ][] = [
    ["data only", "data: a\n\n", [["message", "a", undefined]]],
    ["no space after the colon", "data:a\n\n", [["message", "a", undefined]]],
    ["only one space is removed", "data:  a\n\n", [["message", " a", undefined]]],
    ["several lines of data", "data: a\ndata:\ndata: b\n\n", [["message", "a\n\nb", undefined]]],
    ["a field without a colon", "data\ndata\n\n", [["message", "\n", undefined]]],
    ["a colon in the data", "data: a: b\n\n", [["message", "a: b", undefined]]],
    ["event and id", "event: x\nid: 7\ndata: a\n\n", [["x", "a", "7"]]],
    ["an empty event name", "event:\ndata: a\n\n", [["message", "a", undefined]]],
    [
      "the event name does not carry over",
      "event: x\ndata: a\n\ndata: b\n\n",
      [
        ["x", "a", undefined],
        ["message", "b", undefined],
      ],
    ],
    [
      "the event name of an event without data is dropped",
      "event: x\n\ndata: b\n\n",
      [["message", "b", undefined]],
    ],
    [
      "the id carries over",
      "id: 7\ndata: a\n\ndata: b\n\n",
      [
        ["message", "a", "7"],
        ["message", "b", "7"],
      ],
    ],
    ["an id without data carries over", "id: 7\n\ndata: b\n\n", [["message", "b", "7"]]],
    [
      "an empty id resets it",
      "id: 7\ndata: a\n\nid\ndata: b\n\n",
      [
        ["message", "a", "7"],
        ["message", "b", undefined],
      ],
    ],
    [
      "an id with NUL is ignored",
      "id: 7\ndata: a\n\nid: 8\u00009\ndata: b\n\n",
      [
        ["message", "a", "7"],
        ["message", "b", "7"],
      ],
    ],
    ["comments", ": hello\n\n:\ndata: a\n: b\n\n", [["message", "a", undefined]]],
    ["unknown fields", "datas: x\nDATA: x\n data: x\ndata: a\n\n", [["message", "a", undefined]]],
    [
      "an event is dropped if its blank line is missing",
      "data: a\n\ndata: b\n",
      [["message", "a", undefined]],
    ],
    ["blank lines alone", "\n\n\n", []],
    ["nothing", "", []],
    ["a byte order mark", "\ufeffdata: a\n\n", [["message", "a", undefined]]],
    ["a second byte order mark is data", "\ufeffdata: \ufeffa\n\n", [["message", "\ufeffa", undefined]]],
    [
      "invalid numbers of retry",
      "retry: x\nretry: -1\nretry: 1.5\ndata: a\n\n",
      [["message", "a", undefined]],
    ],
  ];
  test.each(cases)("%s", async (_, text, expected) => {
    const events = expected.map(([event, data, id]) => ({ event, data, id }));
    expect(await parseText(text)).toEqual(events);
    expect(await parseText(text.replaceAll("\n", "\r\n"))).toEqual(events);
    expect(await parseText(text.replaceAll("\n", "\r"))).toEqual(events);
  });

  test("mixed line ends", async () => {
    const events = await parseText("data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r\n");
    expect(events.map((event) => event.data)).toEqual(["a\nb\nc", "d"]);
  });
});

describe("chunks", () => {
  const TEXT =
    "\ufeff: hi\r\n\r\nevent: tick\r\nid: 1ü\r\ndata: häl\r\rdata: 日本 👋🏽\ndata: x\n\nid: 2\ndata:\r\n\r\n";

  test("a cut at every byte, also inside of characters and line ends", async () => {
    const bytes = encoder.encode(TEXT);
    const whole = await parse([bytes]);
    expect(whole).toEqual([
      { event: "tick", data: "häl", id: "1ü" },
      { event: "message", data: "日本 👋🏽\nx", id: "1ü" },
      { event: "message", data: "", id: "2" },
    ]);
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        const chunks = [bytes.slice(0, first), bytes.slice(first, second), bytes.slice(second)];
        expect(await parse(chunks)).toEqual(whole);
      }
    }
    expect(await parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  test("any text in any chunks gives the same events", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "data:",
        "data: ",
        "id:",
        "event: ",
        "retry: 5",
        ":",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "\0",
        "\ufeff",
      ),
      fc.string({ unit: "binary" }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.array(fc.nat()), async (pieces, seeds) => {
        const bytes = encoder.encode(pieces.join(""));
        const cuts = [...new Set(seeds.map((seed) => seed % (bytes.length + 1)))].sort((a, b) => a - b);
        const chunks = [...cuts, bytes.length].map((end, at) => bytes.slice(cuts[at - 1] ?? 0, end));
        expect(await parse(chunks)).toEqual(await parse([bytes]));
      }),
      { numRuns: 300 },
    );
  });

  test("an event is delivered before more bytes arrive", async () => {
    const channel = new TransformStream<Uint8Array, Uint8Array>();
    const writer = channel.writable.getWriter();
    const events = parseServerSentEvents(channel.readable);
    for (const text of ["data: now\n\n", "data: now\r\r", "data: now\r\n\r", "\ndata: now\n\n"]) {
      const next = events.next();
      await writer.write(encoder.encode(text));
      expect(await next).toEqual({ done: false, value: { event: "message", data: "now", id: undefined } });
    }
    await events.return(undefined);
  });

  test("each chunk is reported", async () => {
    let chunks = 0;
    const source = body([encoder.encode(": a\n"), encoder.encode("\n"), encoder.encode("data: a\n\n")]);
    const events = parseServerSentEvents(source, {
      onBytes: () => {
        chunks += 1;
      },
    });
    for await (const _ of events);
    expect(chunks).toBe(3);
  });
});

describe("limits", () => {
  const oversized: [string, string][] = [
    ["one line", `data: ${"x".repeat(100)}\n\n`],
    ["many lines", "data: xxxxxxxx\n".repeat(20)],
    ["a comment that never ends", `:${"x".repeat(200)}`],
    ["an id", `id: ${"x".repeat(100)}\n\n`],
  ];
  test.each(oversized)("%s", async (_, text) => {
    const bytes = encoder.encode(text);
    for (const chunks of [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
      const failure = await parse(chunks, 64).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(EventTooLargeError);
      expect(failure).toMatchObject({ maxEventBytes: 64 });
    }
  });

  test("many events and comments of less than the limit", async () => {
    const text = `: ${"x".repeat(60)}\n`.repeat(10) + `data: ${"x".repeat(50)}\n\n`.repeat(100);
    expect(await parse([encoder.encode(text)], 64)).toHaveLength(100);
  });

  test("the body is cancelled", async () => {
    let cancelled = false;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(encoder.encode("x".repeat(10))),
      cancel: () => {
        cancelled = true;
      },
    });
    await expect(parseServerSentEvents(source, { maxEventBytes: 64 }).next()).rejects.toThrow(
      "event exceeds 64 bytes",
    );
    expect(cancelled).toBe(true);
  });

  test("an event of 32 MiB in chunks of 4 KiB takes linear time", async () => {
    const chunk = encoder.encode("x".repeat(4096));
    const [event] = await parse([
      encoder.encode("data: "),
      ...Array<Uint8Array>(8192).fill(chunk),
      encoder.encode("\n\n"),
    ]);
    expect(event?.data.length).toBe(32 * 1024 * 1024);
  });
});

describe("leaving", () => {
  function endless(): { source: ReadableStream<Uint8Array>; cancelled: Promise<void> } {
    let onCancel: () => void;
    const cancelled = new Promise<void>((resolve) => {
      onCancel = resolve;
    });
    return { source: new ReadableStream({ cancel: () => onCancel() }), cancelled };
  }

  test("return() settles a pending next() and cancels the body", async () => {
    const { source, cancelled } = endless();
    const events = parseServerSentEvents(source);
    const pending = [events.next(), events.next()];
    await events.return(undefined);
    expect(await Promise.all(pending)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
    await cancelled;
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test("break and await using cancel the body", async () => {
    const { source, cancelled } = endless();
    {
      await using _ = parseServerSentEvents(source);
    }
    await cancelled;
    let broken = false;
    const filled = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode("data: a\n\ndata: b\n\n")),
      cancel: () => {
        broken = true;
      },
    });
    for await (const event of parseServerSentEvents(filled)) {
      expect(event.data).toBe("a");
      break;
    }
    expect(broken).toBe(true);
  });

  test("a failing body fails the iteration once", async () => {
    const events = parseServerSentEvents(
      new ReadableStream({
        pull(controller) {
          controller.error(new Error("cut"));
        },
      }),
    );
    await expect(events.next()).rejects.toThrow("cut");
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});
