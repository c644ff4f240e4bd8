// The local provider, and what is common to all: SDKs that are missing, and the scripts that run in sandboxes.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "@sandbox-agent/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SandboxAgent, SandboxStartError } from "../../src/index.ts";
import { installScript, type Program, quote } from "../../src/providers/daemon.ts";
import { load } from "../../src/providers/load.ts";
import { local } from "../../src/providers/local.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sa-local-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("local", () => {
  test("starts a daemon, and ends it with the client", async () => {
    const client = await SandboxAgent.start({ sandbox: local({ binary }) });
    const { sandbox } = client;
    expect(sandbox).toMatchObject({ provider: "local", id: expect.stringMatching(/^\d+$/) });
    expect(await sandbox?.logs?.()).toContain("listening on");
    expect(await sandbox?.previewUrl?.(3000)).toEqual({ url: "http://127.0.0.1:3000" });
    await client.dispose();
    await expect(fetch(client.baseUrl)).rejects.toThrow();
  });

  test.for([
    ["load", { binary: "/nowhere/sandbox-agent" }],
    ["start", { binary, args: ["--nonsense"] }],
  ] as const)("reports a failure of the step %s", async ([step, options]) => {
    const start = SandboxAgent.start({ sandbox: local(options) });
    await expect(start).rejects.toBeInstanceOf(SandboxStartError);
    await expect(start).rejects.toMatchObject({ step, provider: "local" });
  });

  test("cannot be found again", async () => {
    const start = SandboxAgent.start({ sandbox: local({ binary }), sandboxId: "1", token: "secret" });
    await expect(start).rejects.toThrow("local cannot connect to a sandbox again");
  });
});

test("an SDK that is missing is named, with the command to install it", async () => {
  const missing = load("e2b", "e2b@^2.51.0", () => import(String("no-such-package")));
  await expect(missing).rejects.toMatchObject({ name: "SandboxStartError", step: "load", provider: "e2b" });
  await expect(missing).rejects.toThrow("npm install e2b@^2.51.0");
});

describe("the installation", () => {
  /** Runs the script of a program and returns what the installed program prints. */
  function install(program: Program | undefined, path = process.env["PATH"] ?? ""): string {
    const target = join(folder, "it's here");
    const script = installScript(program, target) ?? "";
    execFileSync("sh", ["-c", script], { env: { PATH: path, HOME: folder }, stdio: "pipe" });
    return execFileSync(join(target, "sandbox-agent"), { encoding: "utf8" });
  }

  /** Puts a program that prints a word into a directory of its own. */
  function program(name: string, text: string): string {
    const directory = join(folder, "bin");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(directory, name), 0o755);
    return directory;
  }

  test("uses the program on PATH", () => {
    const directory = program("sandbox-agent", "echo found");
    expect(install(undefined, `${directory}:${process.env["PATH"]}`)).toBe("found\n");
  });

  test("uses npm if there is none", () => {
    const bin = '"$5"/node_modules/.bin';
    const directory = program(
      "npm",
      `mkdir -p ${bin}; printf '#!/bin/sh\\necho %s' "$6" >${bin}/sandbox-agent; chmod 755 ${bin}/sandbox-agent`,
    );
    const path = `${directory}:/usr/bin:/bin`;
    expect(install(undefined, path).trim()).toBe("@sandbox-agent/cli@0.1.0");
    expect(install({ npm: "9.9.9" }, path).trim()).toBe("@sandbox-agent/cli@9.9.9");
  });

  test("downloads the program and checks its digest", async () => {
    const directory = program("curl", 'cp source "$4"');
    const content = "#!/bin/sh\necho downloaded\n";
    writeFileSync(join(folder, "source"), content);
    const path = `${directory}:/usr/bin:/bin`;
    const sha256 = execFileSync("sha256sum", [join(folder, "source")], { encoding: "utf8" }).slice(0, 64);
    const run = (digest: string): string => {
      const script =
        installScript({ url: "http://localhost/it's", sha256: digest }, join(folder, "out")) ?? "";
      execFileSync("sh", ["-c", script], { cwd: folder, env: { PATH: path }, stdio: "pipe" });
      return readFileSync(join(folder, "out/sandbox-agent"), "utf8");
    };
    expect(() => run("0".repeat(64))).toThrow(/sha256sum|checksum|FAILED/i);
    expect(run(sha256)).toBe(content);
  });

  test("downloads from a server", async () => {
    const server = createServer((_, response) => response.end("#!/bin/sh\necho served\n")).listen(
      0,
      "127.0.0.1",
    );
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
    const script = installScript({ url }, join(folder, "out")) ?? "";
    const { execFile } = await import("node:child_process");
    await new Promise<void>((resolve, reject) => {
      execFile("sh", ["-c", script], (error) => (error === null ? resolve() : reject(error)));
    });
    server.close();
    expect(execFileSync(join(folder, "out/sandbox-agent"), { encoding: "utf8" })).toBe("served\n");
  });

  test("quotes every word", () => {
    for (const word of ["", "it's", "$(id)", "a b", "`id`", '"', "\\", "--port=1", "ü\n2"]) {
      expect(execFileSync("sh", ["-c", `printf %s ${quote(word)}`], { encoding: "utf8" })).toBe(word);
    }
  });
});
