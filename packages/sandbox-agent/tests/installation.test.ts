// Installations with progress, from a mirror that the test controls.

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Daemon } from "@sandbox-agent/testkit";
import { type Installation, SandboxAgent, TimeoutError, VersionNotFoundError } from "sandbox-agent";
import { expect, onTestFinished, test } from "vitest";

const PROGRAM = `#!/bin/sh\necho acme\n${"#".repeat(300_000)}\n`;

const AGENTS = `
[acme]
name = "Acme"
command = "acme"
[acme.install]
entry = ["acme"]
[[acme.install.sources]]
kind = "vendor"
base = ["https://agents.example/acme"]
latest = "{base}/latest"
file = "{base}/{version}/acme"
checksum = { sums = "{base}/{version}/acme.sha256" }
platforms = { linux-x64 = "any", linux-x64-baseline = "any", linux-x64-musl = "any", linux-x64-baseline-musl = "any", linux-arm64 = "any", linux-arm64-musl = "any", darwin-arm64 = "any", darwin-x64 = "any" }
`;

class Mirror {
  /** Downloads of the program so far. */
  downloads = 0;
  /** Called with the rest of each download; sends it at once by default. */
  onDownload: (finish: () => void) => void = (finish) => finish();
  #url = "";

  async start(): Promise<Daemon> {
    const server = createServer((request, response) => this.#answer(request.url ?? "", response));
    await new Promise<void>((listen) => server.listen(0, "127.0.0.1", listen));
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const daemon = new Daemon({ flags: ["--mirror", this.#url] });
    const data = join(daemon.home, ".local/share/sandbox-agent");
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "agents.toml"), AGENTS);
    await daemon.start();
    onTestFinished(async () => {
      await daemon.stop();
      server.closeAllConnections();
      server.close();
    });
    return daemon;
  }

  #answer(url: string, response: ServerResponse): void {
    const version = /\/acme\/(1\.\d\.0)\/acme$/.exec(url)?.[1];
    if (version !== undefined) {
      this.downloads += 1;
      response.writeHead(200, { "Content-Length": PROGRAM.length });
      response.write(PROGRAM.slice(0, 100_000));
      this.onDownload(() => response.end(PROGRAM.slice(100_000)));
    } else if (url.endsWith(".sha256") && url.includes("/1.")) {
      response.end(`${createHash("sha256").update(PROGRAM).digest("hex")}  acme\n`);
    } else if (url.endsWith("/latest")) response.end("1.2.0\n");
    else response.writeHead(404).end();
  }
}

test("progress is iterated, the result awaited, versions chosen and removed", async () => {
  const mirror = new Mirror();
  const { agents } = await SandboxAgent.connect((await mirror.start()).connection);
  const installation = agents.install("acme");
  const steps: string[] = [];
  for await (const event of installation) {
    if (event.step !== steps.at(-1)) steps.push(event.step);
    if (event.step === "downloading" && event.total !== undefined) expect(event.total).toBe(PROGRAM.length);
  }
  expect(steps).toEqual(["resolving", "downloading", "verifying", "activating", "done"]);
  expect(await installation).toMatchObject({ agent: "acme", version: "1.2.0", alreadyInstalled: false });
  expect(await agents.install("acme")).toMatchObject({ alreadyInstalled: true });
  expect(await agents.latest("acme")).toMatchObject({ latest: "1.2.0", installed: "1.2.0", outdated: false });
  await agents.install("acme", { agentVersion: "1.1.0" });
  expect((await agents.makeCurrent("acme", "1.1.0")).version).toBe("1.1.0");
  expect((await agents.latest("acme")).outdated).toBe(true);
  expect((await agents.uninstall("acme", "1.1.0")).removed).toEqual(["1.1.0"]);
  expect((await agents.uninstall("acme")).removed).toEqual(["1.2.0"]);
  expect((await agents.get("acme")).installed).toBe(false);
});

test("an installation that fails rejects whatever looks at it, and nothing else", async () => {
  const { agents } = await SandboxAgent.connect((await new Mirror().start()).connection);
  agents.install("acme", { agentVersion: "9.9.9" });
  const missing = agents.install("acme", { agentVersion: "9.9.9" });
  const error = await missing.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(VersionNotFoundError);
  const iterate = async (installation: Installation): Promise<void> => {
    for await (const _ of installation);
  };
  await expect(iterate(missing)).rejects.toBe(error);
  const iterated = agents.install("acme", { agentVersion: "9.9.9" });
  const failure = await iterate(iterated).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(VersionNotFoundError);
  await expect(iterated).rejects.toBe(failure);
});

test("leaving the loop ends the request; the installation continues and is joined, also after a restart", async () => {
  const mirror = new Mirror();
  const daemon = await mirror.start();
  const { agents } = await SandboxAgent.connect(daemon.connection);
  let finish: () => void = () => {};
  mirror.onDownload = (rest) => {
    finish = rest;
  };
  const left = agents.install("acme");
  for await (const event of left) if (event.step === "downloading") break;
  const joined = agents.install("acme");
  for await (const event of joined) if (event.step === "downloading") break;
  expect(mirror.downloads).toBe(1);
  await expect(agents.install("acme", {}, { timeoutMs: 50 })).rejects.toBeInstanceOf(TimeoutError);
  const reason = new Error("enough");
  const aborted = agents.install("acme", {}, { signal: AbortSignal.abort(reason) });
  await expect(aborted).rejects.toBe(reason);
  finish();
  expect(await left).toMatchObject({ version: "1.2.0" });
  expect(await joined).toMatchObject({ version: "1.2.0" });
  expect(mirror.downloads).toBe(1);

  const again = agents.install("acme", { reinstall: true });
  const result = Promise.resolve(again);
  for await (const event of again) if (event.step === "downloading") break;
  await daemon.kill();
  mirror.onDownload = (rest) => rest();
  await daemon.start();
  expect(await result).toMatchObject({ version: "1.2.0" });
});
