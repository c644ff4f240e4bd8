// Uses the daemon through openapi-fetch with types from openapi-typescript.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./dist/generated/schema.js";

type SessionStreamData = components["schemas"]["SessionStreamData"];
type UniversalEvent = components["schemas"]["UniversalEvent"];
type ProcessLogData = components["schemas"]["ProcessLogData"];
type InstallEvent = components["schemas"]["InstallEvent"];

// A program that hangs must not hold the test.
setTimeout(() => assert.fail("the program did not end in time"), 60_000).unref();

const api = createClient<paths>({
  baseUrl: process.env.SANDBOX_AGENT_URL ?? "http://127.0.0.1:2468",
  headers: { Authorization: `Bearer ${process.env.SANDBOX_AGENT_TOKEN}` },
});

/** The answer's body, or an error with the problem that the daemon reported. */
function ok<T>(answer: { data?: T; error?: unknown; response: Response }): NonNullable<T> {
  assert.ok(answer.response.ok, `${answer.response.status}: ${JSON.stringify(answer.error)}`);
  return answer.data as NonNullable<T>;
}

/** The events of a stream. */
async function* serverSentEvents<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data:"));
      if (data.length > 0) yield JSON.parse(data.map((line) => line.slice(5)).join("\n")) as T;
    }
  }
}

const created = await api.POST("/v1/sessions", {
  body: { agent: "demo", permissionMode: "default", metadata: { ticket: "ABC-1" } },
});
assert.equal(created.response.status, 201);
assert.equal(ok(created).healthy, true);
const session = { sessionId: ok(created).sessionId };

async function converse(): Promise<void> {
  const stream = ok(
    await api.GET("/v1/sessions/{sessionId}/events/sse", { params: { path: session }, parseAs: "stream" }),
  );
  const message = "say Hello\npermission Send it\nquestion single";
  const accepted = ok(await api.POST("/v1/sessions/{sessionId}/messages", { params: { path: session }, body: { message } }));

  const seen: string[] = [];
  for await (const event of serverSentEvents<SessionStreamData>(stream)) {
    if (!("data" in event)) assert.fail(`a gap or a failure: ${JSON.stringify(event)}`);
    seen.push(event.type);
    await react(event);
    if (event.type === "turnEnded") {
      assert.equal(event.data.turnEnded.turnId, accepted.turnId);
      assert.equal(event.data.turnEnded.stopReason, "endTurn");
      break;
    }
  }
  for (const type of ["started", "message", "permissionResolved", "questionResolved"]) {
    assert.ok(seen.includes(type), `${type} in ${seen}`);
  }
}

/** Answers what the agent asks. The compiler checks that no type of event is missing. */
async function react(event: UniversalEvent): Promise<void> {
  switch (event.type) {
    case "permissionAsked": {
      const { id: permissionId, options } = event.data.permissionAsked;
      const option = options.find((option) => option.reply === "once");
      assert.ok(option);
      const path = { ...session, permissionId };
      const body = { reply: option.reply, optionId: option.id };
      ok(await api.POST("/v1/sessions/{sessionId}/permissions/{permissionId}/reply", { params: { path }, body }));
      return;
    }
    case "questionAsked": {
      const { id: questionId, questions } = event.data.questionAsked;
      assert.deepEqual(questions[0]?.options?.map((option) => option.label), ["Red", "Green", "Blue"]);
      const path = { ...session, questionId };
      const body = { answers: [["Green"]] };
      ok(await api.POST("/v1/sessions/{sessionId}/questions/{questionId}/reply", { params: { path }, body }));
      return;
    }
    case "error":
      return assert.fail(JSON.stringify(event.data.error));
    case "started":
    case "message":
    case "messageDelta":
    case "messageWithdrawn":
    case "queueHeld":
    case "queueReleased":
    case "queueReordered":
    case "questionResolved":
    case "permissionResolved":
    case "plan":
    case "turnStarted":
    case "turnEnded":
    case "modeChanged":
    case "infoChanged":
    case "commandsAvailable":
    case "usage":
    case "notice":
    case "compaction":
    case "continuity":
    case "ended":
    case "unknown":
      return;
    default:
      return unknownType(event);
  }
}

function unknownType(event: never): never {
  throw new Error(`a type of event that the program does not know: ${JSON.stringify(event)}`);
}

async function readTranscript(): Promise<void> {
  const { messages } = ok(await api.GET("/v1/sessions/{sessionId}/messages", { params: { path: session } }));
  const said = messages.flatMap((message) => message.parts.map((part) => (part.type === "text" ? part.text : part.type)));
  assert.ok(said.includes("Hello"), JSON.stringify(said));
}

async function moveFiles(): Promise<void> {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const query = { path: "bytes.bin" };
  // The type of a binary body is `string` here, so a Blob is passed on by the serializer.
  const written = await api.PUT("/v1/fs/file", {
    params: { query },
    body: "",
    bodySerializer: () => new Blob([bytes]),
    headers: { "content-type": "application/octet-stream" },
  });
  assert.equal(ok(written).bytesWritten, 256);
  const read = ok(await api.GET("/v1/fs/file", { params: { query }, parseAs: "arrayBuffer" }));
  assert.deepEqual(new Uint8Array(read), bytes);
}

async function installAgent(): Promise<void> {
  const path = { agent: "published" };
  const stream = ok(await api.POST("/v1/agents/{agent}/install/sse", { params: { path }, parseAs: "stream" }));
  const steps: string[] = [];
  for await (const event of serverSentEvents<InstallEvent>(stream)) {
    steps.push(event.step);
    if (event.step === "done") assert.equal(event.version, "1.0.0");
  }
  assert.ok(steps.includes("downloading") && steps.at(-1) === "done", steps.join());
}

async function moveSession(): Promise<void> {
  const lines = ok(
    await api.GET("/v1/sessions/{sessionId}/export", { params: { path: session }, parseAs: "blob" }),
  );
  const imported = await api.POST("/v1/sessions/import", {
    params: { query: { sessionId: "copy" } },
    body: "",
    bodySerializer: () => lines,
    headers: { "content-type": "application/x-ndjson" },
  });
  assert.equal(imported.response.status, 201);
  const original = ok(await api.GET("/v1/sessions/{sessionId}", { params: { path: session } }));
  assert.equal(ok(imported).sessionId, "copy");
  assert.ok(ok(imported).lastEventId >= original.lastEventId);
}

async function listSessions(): Promise<void> {
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = ok(await api.GET("/v1/sessions", { params: { query: { limit: 1, after } } }));
    assert.equal(page.sessions.length, 1);
    seen.push(...page.sessions.map((session) => session.sessionId));
    assert.equal(page.hasMore, page.next !== undefined);
    after = page.next;
  } while (after !== undefined);
  assert.deepEqual(seen.sort(), [session.sessionId, "copy"].sort());
}

async function followProcess(): Promise<void> {
  const created = await api.POST("/v1/processes", { body: { command: "sh", args: ["-c", "echo one; echo two"] } });
  assert.equal(created.response.status, 201);
  const path = { processId: ok(created).id };
  const query = { encoding: "text" as const };
  const stream = ok(
    await api.GET("/v1/processes/{processId}/logs/sse", { params: { path, query }, parseAs: "stream" }),
  );
  let output = "";
  for await (const entry of serverSentEvents<ProcessLogData>(stream)) {
    if (!("data" in entry)) break;
    assert.equal(entry.encoding, "utf8");
    output += entry.data;
  }
  assert.equal(output, "one\ntwo\n");
}

await converse();
await readTranscript();
await moveFiles();
await installAgent();
await moveSession();
await listSessions();
await followProcess();
console.log("openapi-typescript: ok");
