// The example in a folder of its own, with the packages of this workspace as npm would install them.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Daemon } from "@sandbox-agent/testkit";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const example = join(root, "examples/nextjs-chat");

export interface App extends AsyncDisposable {
  url: string;
  /** Output of Next.js so far. */
  output(): string;
}

/** Starts the example on a free port. */
export async function startApp(daemon: Daemon): Promise<App> {
  // Within the workspace, so that the other dependencies are found, but not in a folder that Next.js leaves alone.
  const folder = mkdtempSync(join(root, "examples/.nextjs-chat-"));
  for (const name of ["app", "lib", "next.config.ts", "package.json", "tsconfig.json"]) {
    cpSync(join(example, name), join(folder, name), { recursive: true });
  }
  const core = [
    { path: ".", source: "sandbox-agent/src/index.ts" },
    { path: "./transcript", source: "sandbox-agent/src/transcript/index.ts" },
    // The client loads it on demand. Next.js wants to find it, also for the browser.
    { path: "./node", condition: "browser", source: "sandbox-agent/src/node/unavailable.ts" },
    { path: "./node", source: "sandbox-agent/src/node/index.ts" },
  ];
  await bundle(folder, "sandbox-agent", core, ["node:*", "sandbox-agent"]);
  const adapter = [{ path: ".", source: "ai-sdk/src/index.ts" }];
  await bundle(folder, "@sandbox-agent/ai-sdk", adapter, ["ai", "sandbox-agent"]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const next = join(root, "node_modules/next/dist/bin/next");
  const child = spawn(process.execPath, [next, "dev", "--hostname", "127.0.0.1", "--port", String(port)], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: daemon.home,
      NODE_ENV: "development",
      NEXT_TELEMETRY_DISABLED: "1",
      SANDBOX_AGENT_URL: daemon.baseUrl,
      SANDBOX_AGENT_TOKEN: daemon.token,
      SANDBOX_AGENT_AGENT: "demo",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  let output = "";
  const read = (data: Buffer): void => {
    output += data.toString();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  try {
    await listening(child, () => output);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, output: () => output, [Symbol.asyncDispose]: stop };
}

interface Entry {
  /** Name under which the package exports it. */
  path: string;
  condition?: string;
  source: string;
}

/** Bundles the entries of a package. */
async function bundle(folder: string, name: string, entries: Entry[], external: string[]): Promise<void> {
  const target = join(folder, "node_modules", name);
  const exports: Record<string, Record<string, string>> = {};
  for (const [index, { path, condition = "default", source }] of entries.entries()) {
    const file = `./${index}.js`;
    exports[path] = { ...exports[path], [condition]: file };
    await build({
      entryPoints: [join(root, "packages", source)],
      outfile: join(target, file),
      bundle: true,
      format: "esm",
      target: "es2022",
      conditions: ["@sandbox-agent/source"],
      external,
      logLevel: "error",
    });
  }
  writeFileSync(
    join(target, "package.json"),
    JSON.stringify({ name, version: "0.0.0", type: "module", exports }),
  );
}

async function listening(child: ChildProcess, output: () => string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`next did not start\n${output()}`)), 90_000);
    child.stdout?.on("data", () => {
      if (!/Ready in/i.test(output())) return;
      clearTimeout(timer);
      resolve();
    });
    child.once("close", () => reject(new Error(`next ended\n${output()}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await closed;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
