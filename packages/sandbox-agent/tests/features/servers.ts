// MCP servers that come from the client.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { McpServerConfig } from "sandbox-agent";
import { expect } from "vitest";
import { McpWebServer, SECRET } from "./mcp-web-server.ts";
import { greetByMcp, sayResult } from "./script.ts";
import type { Feature, Stage } from "./stage.ts";
import { resultText, toolCalls } from "./tool-calls.ts";

/** Longer than agents wait for a server by default. */
const SLOW_MS = 7000;

/** Has the agent call the tool of a server, and checks that the server has answered. */
async function greet(stage: Stage, suite: McpServerConfig): Promise<void> {
  const session = await stage.session({ permissionMode: "bypass", mcp: { suite } });
  const turn = await stage.turn(session, [greetByMcp("suite", "Ada")], [sayResult]);
  expect(turn.text).toContain("Welcome, Ada");
  const called = toolCalls(turn)[0];
  expect(called?.call).toMatchObject({ status: "completed", title: expect.stringContaining("greet") });
  if (called !== undefined) expect(resultText(called)).toContain("Welcome, Ada");
}

function local(delay = 0): McpServerConfig {
  const server = fileURLToPath(new URL("mcp-server.js", import.meta.url));
  const env = { GREETING: "Welcome", DELAY_MS: String(delay) };
  return { type: "local", command: process.execPath, args: [server], env };
}

function remote(server: McpWebServer, transport: "http" | "sse"): McpServerConfig {
  const url = server.url(transport === "http" ? "/mcp" : "/sse");
  return { type: "remote", url, transport, headers: SECRET };
}

/** The demo agent knows the server by its name, and does not start it. */
async function localUnused(stage: Stage): Promise<void> {
  const suite: McpServerConfig = { type: "local", command: "touch", args: [join(stage.project, "started")] };
  const session = await stage.session({ mcp: { suite } });
  expect((await stage.turn(session, [{ model: "", demo: "mcp" }])).text).toContain("suite");
  expect(stage.file("started")).toBeUndefined();
}

/** The demo agent knows the server by its name, and does not connect to it. */
const remoteUnused = (transport: "http" | "sse") => async (stage: Stage) => {
  await using server = await McpWebServer.start("Welcome");
  const session = await stage.session({ mcp: { suite: remote(server, transport) } });
  expect((await stage.turn(session, [{ model: "", demo: "mcp" }])).text).toContain("suite");
  expect(server.requests).toBe(0);
};

/** Codex starts without the server, a notice says so, and the model has no tool of it. */
async function startsWithout(stage: Stage): Promise<void> {
  await using server = await McpWebServer.start("Welcome");
  const session = await stage.session({ permissionMode: "bypass", mcp: { suite: remote(server, "sse") } });
  const turn = await stage.turn(session, [greetByMcp("suite", "Ada")], [sayResult]);
  expect(turn.text).toContain("greet is not a function");
  expect(server.requests).toBe(0);
  const { events } = await session.eventPage({ types: ["notice"] });
  const description = "the MCP server 'suite' is not used: agent 'codex' has no MCP over SSE";
  expect(events.map(({ data }) => data)).toEqual([
    { notice: { severity: "warning", title: "MCP", description } },
  ]);
}

export const features: Feature[] = [
  {
    title: "MCP on standard streams",
    run: (stage) => greet(stage, local()),
    lacking: { demo: localUnused },
  },
  {
    title: "MCP over HTTP",
    async run(stage) {
      await using server = await McpWebServer.start("Welcome");
      await greet(stage, remote(server, "http"));
    },
    lacking: { demo: remoteUnused("http") },
  },
  {
    title: "MCP over SSE",
    async run(stage) {
      await using server = await McpWebServer.start("Welcome");
      await greet(stage, remote(server, "sse"));
    },
    lacking: { demo: remoteUnused("sse"), codex: startsWithout },
  },
  {
    title: "Slow MCP server",
    run: (stage) => greet(stage, local(SLOW_MS)),
    lacking: { demo: localUnused },
  },
];
