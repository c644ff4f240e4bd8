// The official TypeScript client of ACP against the standard remote transport, over HTTP and over WebSockets.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { startDaemon } from "../harness/daemon.js";
import { counted } from "../harness/speech.js";
import { Stock, TRANSPORTS } from "../harness/stock.js";
import { until } from "../harness/wait.js";

let daemon;
before(async () => {
  daemon = await startDaemon();
});
after(() => daemon.stop());

/** Where an agent is reached. */
const ENDPOINTS = {
  "/acp?agent=": (agent) => `/acp?agent=${agent}`,
  "/v1/agents/{agent}/acp": (agent) => `/v1/agents/${agent}/acp`,
  "/v1/acp/{server_id}?agent=": (agent) => `/v1/acp/${randomUUID()}?agent=${agent}`,
};

for (const [transport, open] of Object.entries(TRANSPORTS)) {
  for (const [name, path] of Object.entries(ENDPOINTS)) {
    describe(`${transport} ${name}`, () => suite((agent) => new Stock(open(daemon, path(agent)))));
  }
}

function suite(connect) {
  /** An initialized client that is closed with the test. */
  async function start(t, agent = "demo") {
    const stock = connect(agent);
    t.after(() => stock.close());
    const { protocolVersion, agentInfo } = await stock.initialize();
    assert.deepEqual([protocolVersion, agentInfo.name], [1, "demo"]);
    return stock;
  }

  /** The text is complete once the response is there: both are on one stream, in order. */
  async function ask(stock, sessionId, words) {
    const before = stock.said(sessionId);
    const reason = await stock.prompt(sessionId, words);
    return [reason, stock.said(sessionId).slice(before.length)];
  }

  test("a prompt is answered after all its updates", async (t) => {
    const stock = await start(t);
    const session = await stock.newSession(daemon.home);
    assert.deepEqual(await ask(stock, session, "stream 300"), ["end_turn", counted(300)]);
    const commands = stock.notebook.of(session).filter((update) => update.sessionUpdate === "available_commands_update");
    assert.equal(commands.length, 1, "what came before the session's stream was opened is not lost");
    assert.deepEqual(await ask(stock, session, "say again\nstop refusal"), ["refusal", "again"]);
  });

  test("sessions run side by side", async (t) => {
    const stock = await start(t);
    const sessions = [];
    for (let index = 0; index < 4; index += 1) sessions.push(await stock.newSession(daemon.home));
    const turns = sessions.map((session, index) => ask(stock, session, `stream 50 every 2\nsay end ${index}`));
    const expected = sessions.map((_, index) => ["end_turn", `${counted(50)}end ${index}`]);
    assert.deepEqual(await Promise.all(turns), expected);
  });

  test("permissions are asked for and given", async (t) => {
    const stock = await start(t);
    const session = await stock.newSession(daemon.home);
    const kinds = ["allow_once", "reject_once", "allow_always"];
    stock.decide = ({ options }) => {
      const kind = kinds.shift();
      return { outcome: "selected", optionId: options.find((option) => option.kind === kind).optionId };
    };
    for (const answer of ["allow_once", "reject_once", "allow_always", "allowed, as decided before"]) {
      const [, said] = await ask(stock, session, "permission Deploy");
      assert.equal(said, `Permission for "Deploy": ${answer}.`);
    }
    assert.deepEqual(stock.permissions, ["Deploy", "Deploy", "Deploy"]);
  });

  test("questions are asked and answered", async (t) => {
    const stock = await start(t);
    const session = await stock.newSession(daemon.home);
    stock.reply = () => ({ action: "accept", content: { question_1: "Green" } });
    assert.deepEqual(await ask(stock, session, "question"), ["end_turn", "Which color do you like? Green"]);
    stock.reply = () => ({ action: "decline" });
    assert.deepEqual(await ask(stock, session, "question"), ["end_turn", "The question was declined."]);
    assert.deepEqual(stock.questions, Array(2).fill("Which color do you like?"));
  });

  test("a turn is cancelled, also while the agent asks", async (t) => {
    const stock = await start(t);
    const session = await stock.newSession(daemon.home);
    for (const script of ["say begun\nhang", "say begun\nquestion"]) {
      const before = stock.said(session);
      stock.reply = () => new Promise((resolve) => t.signal.addEventListener("abort", resolve));
      const turn = stock.prompt(session, script);
      await until("the turn runs", () => stock.said(session) === `${before}begun`);
      await stock.agent.notify("session/cancel", { sessionId: session });
      assert.equal(await turn, "cancelled");
    }
  });

  test("a session is loaded with its history by another connection", async (t) => {
    const first = await start(t, "kept");
    const session = await first.newSession(daemon.home);
    await ask(first, session, "say remember\nstream 100");
    await first.close();

    const second = await start(t, "kept");
    const { sessions } = await second.request("session/list", {});
    assert.ok(sessions.some(({ sessionId }) => sessionId === session));
    await second.request("session/load", { sessionId: session, cwd: daemon.home, mcpServers: [] });
    await until("the history is there", () => second.said(session) === `remember${counted(100)}`);
    assert.deepEqual(await ask(second, session, "say more"), ["end_turn", "more"]);
  });

  test("a session is set, closed, resumed and deleted", async (t) => {
    const stock = await start(t);
    const session = await stock.newSession(daemon.home);
    const place = { sessionId: session, cwd: daemon.home, mcpServers: [] };
    await stock.request("session/set_mode", { sessionId: session, modeId: "plan" });
    const { configOptions } = await stock.request("session/set_config_option", {
      sessionId: session,
      configId: "model",
      value: "demo-large",
    });
    assert.deepEqual(configOptions.slice(0, 2).map((option) => option.currentValue), ["plan", "demo-large"]);
    await stock.request("session/close", { sessionId: session });
    await assert.rejects(stock.prompt(session, "say lost"));
    await stock.request("session/resume", place);
    const [, said] = await ask(stock, session, "config");
    assert.match(said, /^mode: plan\nmodel: demo-large\n/);
    await stock.request("session/delete", { sessionId: session });
    await assert.rejects(stock.request("session/load", place), { code: -32002 });
  });

  test("an unknown method is an error, and the connection lives", async (t) => {
    const stock = await start(t);
    await assert.rejects(stock.request("_no/such", { a: 1 }), { code: -32601 });
    const session = await stock.newSession(daemon.home);
    await assert.rejects(stock.prompt(session, "error -32050 No luck"), { code: -32050, message: "No luck" });
    await assert.rejects(stock.prompt("no-such-session", "say lost"), { code: -32002 });
    assert.deepEqual(await ask(stock, session, "say still here"), ["end_turn", "still here"]);
  });

  test("large messages pass both ways", async (t) => {
    const stock = await start(t);
    const session = await stock.newSession(daemon.home);
    const picture = { type: "image", mimeType: "image/png", data: Buffer.alloc(3 << 20, 7).toString("base64") };
    const prompt = [{ type: "text", text: "image\nbig 3000000" }, picture];
    await stock.request("session/prompt", { sessionId: session, prompt });
    const said = stock.said(session);
    assert.ok(said.startsWith("This came with the prompt:\n- image, image/png, 3145728 bytes"));
    assert.ok(said.length > 2_900_000, `${said.length} characters`);
  });

  test("a request is rejected when the agent ends", async (t) => {
    const stock = await start(t);
    const session = await stock.newSession(daemon.home);
    await assert.rejects(stock.prompt(session, "say bye\ncrash 3"), (error) => error.code === -32603 && error.data.code === 3);
    assert.equal(stock.said(session), "bye");
  });
}

describe("connections", () => {
  const minted = Object.entries(ENDPOINTS).slice(0, 2);
  for (const [transport, open] of Object.entries(TRANSPORTS)) {
    for (const [name, path] of minted) {
      test(`closing ends the agent: ${transport} ${name}`, async () => {
        const before = (await daemon.servers()).length;
        const stock = new Stock(open(daemon, path("demo")));
        await stock.initialize();
        assert.equal((await daemon.servers()).length, before + 1);
        await stock.close();
        await until("the server is gone", async () => (await daemon.servers()).length === before);
      });
    }

    test(`an unknown agent is refused: ${transport}`, async () => {
      await assert.rejects(new Stock(open(daemon, "/acp?agent=nobody")).initialize());
    });

    test(`a client without a token is refused: ${transport}`, async () => {
      await assert.rejects(new Stock(open(daemon, "/acp?agent=demo", {})).initialize());
    });
  }
});
