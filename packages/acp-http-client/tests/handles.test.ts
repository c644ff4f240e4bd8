// A program that connects, is interrupted and closes has nothing left that keeps it alive, and no rejection is unhandled.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

let daemon: Daemon;
const folder = mkdtempSync(join(tmpdir(), "acp-handles-"));
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await daemon.stop();
});

/** Ends in every way that a connection can, without `process.exit`. */
const PROGRAM = `
import { WebSocket } from "ws";
import { AcpPeer, httpTransport, openStream, standardHttpTransport, standardWebSocketTransport, webSocketTransport } from "acp-http-client";
const [baseUrl, token] = process.argv.slice(2);
const headers = { Authorization: "Bearer " + token };
const server = () => baseUrl + "/v1/acp/" + crypto.randomUUID();
const start = { agent: "demo" };
const make = [
  () => httpTransport({ url: server(), headers, start }),
  () => webSocketTransport({ url: server(), headers, start, WebSocket }),
  () => webSocketTransport({ url: server(), headers, start, WebSocket, eventProtocol: "sandbox-agent.events.v1" }),
  () => standardHttpTransport({ url: baseUrl + "/acp?agent=demo", headers }),
  () => standardWebSocketTransport({ url: baseUrl + "/acp?agent=demo", headers, WebSocket }),
];
process.on("unhandledRejection", (error) => { console.log("unhandled", error); });
async function session(peer) {
  await peer.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  return (await peer.request("session/new", { cwd: "/", mcpServers: [] })).sessionId;
}
const text = (sessionId, line) => ({ sessionId, prompt: [{ type: "text", text: line }] });
for (const transport of make) {
  // Closed in the middle of a turn, whose promise nobody waits for.
  const hanging = new AcpPeer(transport());
  hanging.request("session/prompt", text(await session(hanging), "hang")).catch(() => {});
  await hanging.close();
  // The agent exits.
  const crashing = new AcpPeer(transport());
  await crashing.request("session/prompt", text(await session(crashing), "crash")).catch(() => {});
  await crashing.closed;
  // Closed before it is used, and while it connects.
  await new AcpPeer(transport()).close();
  const early = new AcpPeer(transport());
  early.request("initialize", { protocolVersion: 1 }).catch(() => {});
  await early.close();
  // A reader that leaves.
  const stream = openStream(transport());
  const writer = stream.writable.getWriter();
  await writer.write({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
  for await (const message of stream.readable) break;
  await stream.closed;
}
console.log("done");
`;

test("a program ends by itself after its connections have ended in every way", async () => {
  const outfile = join(folder, "program.mjs");
  await build({
    stdin: { contents: PROGRAM, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@sandbox-agent/source"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    outfile,
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, daemon.baseUrl, daemon.token], {
    timeout: 100_000,
    env: {},
  });
  expect(stdout).toBe("done\n");
}, 120_000);
