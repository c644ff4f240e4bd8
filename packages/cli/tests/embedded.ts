// A program of a project that has the packages installed.

import { SandboxAgent } from "sandbox-agent";
import { findBinary, spawnSandboxAgent } from "sandbox-agent/node";

await using daemon = await spawnSandboxAgent();
const health = await fetch(`${daemon.baseUrl}/v1/health`);
process.stdout.write(`${health.status} ${findBinary()}\n`);

await using client = await SandboxAgent.connect();
const session = await client.sessions.create({ agent: "demo" });
const { text } = await session.send("say hello from the package").done;
process.stdout.write(`${text}\n`);
