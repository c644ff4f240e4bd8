// Uses the daemon through the functions that @hey-api/openapi-ts generates.

import assert from "node:assert/strict";
import { client } from "./dist/generated/client.gen.js";
import * as api from "./dist/generated/sdk.gen.js";
import type { UniversalEvent } from "./dist/generated/types.gen.js";

// A program that hangs must not hold the test.
setTimeout(() => assert.fail("the program did not end in time"), 60_000).unref();

client.setConfig({
  baseUrl: process.env.SANDBOX_AGENT_URL ?? "http://127.0.0.1:2468",
  auth: process.env.SANDBOX_AGENT_TOKEN ?? "",
  throwOnError: true,
});

const path = { sessionId: "hey" };
const throwOnError = true;

async function converse(): Promise<void> {
  const created = await api.createSession({
    path,
    body: { agent: "demo", permissionMode: "default", metadata: { ticket: "ABC-1" } },
    throwOnError,
  });
  assert.equal(created.response.status, 201);
  assert.equal(created.data.healthy, true);

  // Leaving the loop does not close the connection; the signal does.
  const reading = new AbortController();
  const { stream } = await api.streamEvents({ path, signal: reading.signal });
  const message = "say Hello\npermission Send it\nquestion single";
  const accepted = await api.postMessage({ path, body: { message }, throwOnError });

  const seen: string[] = [];
  for await (const event of stream) {
    if (!("data" in event)) assert.fail(`a gap or a failure: ${JSON.stringify(event)}`);
    seen.push(event.type);
    await react(event);
    if (event.type === "turnEnded") {
      assert.equal(event.data.turnEnded.turnId, accepted.data.turnId);
      assert.equal(event.data.turnEnded.stopReason, "endTurn");
      break;
    }
  }
  reading.abort();
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
      const body = { reply: option.reply, optionId: option.id };
      await api.replyToPermission({ path: { ...path, permissionId }, body, throwOnError });
      return;
    }
    case "questionAsked": {
      const { id: questionId, questions } = event.data.questionAsked;
      assert.deepEqual(questions[0]?.options?.map((option) => option.label), ["Red", "Green", "Blue"]);
      await api.replyToQuestion({ path: { ...path, questionId }, body: { answers: [["Green"]] }, throwOnError });
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
  const { data } = await api.getMessages({ path, throwOnError });
  const said = data.messages.flatMap((message) =>
    message.parts.map((part) => (part.type === "text" ? part.text : part.type)),
  );
  assert.ok(said.includes("Hello"), JSON.stringify(said));
}

async function moveFiles(): Promise<void> {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const query = { path: "bytes.bin" };
  const written = await api.writeFsFile({ query, body: new Blob([bytes]), throwOnError });
  assert.equal(written.data.bytesWritten, 256);
  const { data } = await api.readFsFile({ query, throwOnError });
  assert.deepEqual(new Uint8Array(await data.arrayBuffer()), bytes);
}

async function installAgent(): Promise<void> {
  const { stream } = await api.streamAgentInstallation({ path: { agent: "published" } });
  const steps: string[] = [];
  for await (const event of stream) {
    steps.push(event.step);
    if (event.step === "done") assert.equal(event.version, "1.0.0");
  }
  assert.ok(steps.includes("downloading") && steps.at(-1) === "done", steps.join());
}

async function moveSession(): Promise<void> {
  const exported = await api.exportSession({ path, parseAs: "blob", throwOnError });
  const imported = await api.importSession({ query: { sessionId: "hey-copy" }, body: exported.data, throwOnError });
  assert.equal(imported.response.status, 201);
  const original = await api.getSession({ path, throwOnError });
  assert.equal(imported.data.sessionId, "hey-copy");
  assert.ok(imported.data.lastEventId >= original.data.lastEventId);
}

async function listSessions(): Promise<void> {
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const { data } = await api.listSessions({ query: { limit: 1, after }, throwOnError });
    assert.equal(data.sessions.length, 1);
    seen.push(...data.sessions.map((session) => session.sessionId));
    assert.equal(data.hasMore, data.next !== undefined);
    after = data.next;
  } while (after !== undefined);
  assert.deepEqual(seen.sort(), ["hey", "hey-copy"]);
}

async function followProcess(): Promise<void> {
  const body = { command: "sh", args: ["-c", "echo one; echo two"] };
  const created = await api.createProcess({ body, throwOnError });
  assert.equal(created.response.status, 201);
  const { stream } = await api.streamProcessLogs({
    path: { processId: created.data.id },
    query: { encoding: "text" },
  });
  let output = "";
  for await (const entry of stream) {
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
console.log("hey-api: ok");
