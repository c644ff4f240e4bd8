// Measures how fast events pass through the SDK, compared with a bare `fetch` reader of the same stream, in one run.
//
//   node packages/sandbox-agent/bench/events.js [--check]
//
// The log of a session has many small deltas. `bare` reads its bytes and does nothing with them; `parse` splits and parses
// them without any care. The replay serves the same bytes from memory, so that the daemon is not the limit there; the SDK
// is compared with `parse` then. With `--check` the exit code is 1 if the SDK has less than half the speed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const EVENTS = 50_000;
const ROUNDS = 7;
const LEAST_RATIO = 0.5;
const TOKEN = "bench";

const binary =
  process.env.SANDBOX_AGENT_TEST_BIN ??
  fileURLToPath(new URL("../../../target/release/sandbox-agent", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sa-bench-"));
const children = [];

try {
  const { SandboxAgent } = await load();
  const daemon = await startDaemon();
  const client = await SandboxAgent.connect({ baseUrl: daemon, token: TOKEN });
  const session = await client.sessions.create({ agent: "demo" });
  await session.send(`stream ${EVENTS} 20`).done;
  await session.terminate();
  const { lastEventId } = await session.refresh();
  const path = `/v1/sessions/${session.id}/events/sse`;
  const recording = join(folder, "recording");
  writeFileSync(recording, await read(`${daemon}${path}`));
  const replay = await startReplay(recording);

  const ratios = [];
  for (const [name, baseUrl, rival] of [
    ["daemon", daemon, "bare"],
    ["replay", replay, "parse"],
  ]) {
    const options = { baseUrl, token: TOKEN, healthTimeoutMs: 0 };
    const target = await (await SandboxAgent.connect(options)).sessions.get(session.id);
    const readers = {
      bare: async () => void (await drain(`${baseUrl}${path}`)),
      parse: () => parseNaively(`${baseUrl}${path}`, lastEventId),
      sdk: () => iterate(target, lastEventId),
    };
    const rates = await compare(readers, lastEventId);
    const ratio = rates.sdk / rates[rival];
    ratios.push(ratio);
    const row = Object.entries(rates).map(([reader, rate]) => `${reader} ${Math.round(rate / 1000)}k/s`);
    process.stdout.write(`${name}: ${row.join(", ")}; sdk/${rival} ${ratio.toFixed(2)}\n`);
  }
  if (process.argv.includes("--check") && Math.min(...ratios) < LEAST_RATIO) process.exitCode = 1;
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the readers in turns, so that all of them meet the same conditions, and returns events per second of each. */
async function compare(readers, events) {
  const best = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(readers)) {
      const start = performance.now();
      await run();
      const rate = (events * 1000) / (performance.now() - start);
      best[name] = Math.max(best[name] ?? 0, rate);
    }
  }
  return best;
}

/** Reads bytes and does nothing with them. */
async function drain(url) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${TOKEN}` } });
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  return bytes;
}

async function read(url) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${TOKEN}` } });
  return Buffer.from(await response.arrayBuffer());
}

/** Splits the stream and parses the JSON, without any of the care that a real client takes. */
async function parseNaively(url, events) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${TOKEN}` } });
  const decoder = new TextDecoder();
  let rest = "";
  let count = 0;
  for await (const chunk of response.body) {
    const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const data = frame.split("\n").find((line) => line.startsWith("data:"));
      if (data !== undefined && JSON.parse(data.slice(5)).id > 0) count += 1;
    }
  }
  if (count !== events) throw new Error(`read ${count} events of ${events}`);
}

async function iterate(session, events) {
  let count = 0;
  for await (const event of session.events()) if (event.id > 0) count += 1;
  if (count !== events) throw new Error(`read ${count} events of ${events}`);
}

async function load() {
  const outfile = join(folder, "sdk.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../src/index.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["@sandbox-agent/source"],
    logLevel: "silent",
  });
  return import(pathToFileURL(outfile).href);
}

async function startDaemon() {
  const config = join(folder, "config.toml");
  writeFileSync(config, `[sessions]\nevents = ${EVENTS * 2}\n`);
  const args = ["server", "--config", config, "--host", "127.0.0.1", "--port", "0"];
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, SANDBOX_AGENT_TOKEN: TOKEN };
  return listening(spawn(binary, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }));
}

/** A server that answers every request for events with the recording, and all others with the session. */
async function startReplay(recording) {
  const program = `
    import { readFileSync } from "node:fs";
    import { createServer } from "node:http";
    const events = readFileSync(${JSON.stringify(recording)});
    const server = createServer((request, response) => {
      if (request.url.includes("/events/sse")) {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        for (let at = 0; at < events.length; at += 65536) response.write(events.subarray(at, at + 65536));
        response.end();
      } else {
        response.writeHead(200, { "Content-Type": "application/json" });
        response.end('{"sessionId":"replay","state":"ended"}');
      }
    });
    server.listen(0, "127.0.0.1", () => console.log("listening on http://127.0.0.1:" + server.address().port));
  `;
  const args = ["--input-type=module", "--eval", program];
  return listening(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
}

async function listening(child) {
  children.push(child);
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  child.stdout.setEncoding("utf8");
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`exited with ${code}\n${output}`);
  });
  for (;;) {
    const [text] = await Promise.race([once(child.stdout, "data"), ended]);
    output += text;
    const url = /^listening on (http:\S+)$/m.exec(output)?.[1];
    if (url !== undefined) return url;
  }
}
