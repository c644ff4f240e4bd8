// docs/webhooks.md: its functions accept a genuine delivery and refuse others, in each language.

import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { blocks } from "./pages.ts";

const folder = mkdtempSync(join(tmpdir(), "sa-webhooks-"));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = "whsec_test";
const body = '{"sessionId":"s1","attempt":0,"events":[]}';
const now = String(Math.floor(Date.now() / 1000));

const sign = (timestamp: string, text: string): string =>
  `v1=${createHmac("sha256", secret).update(`${timestamp}.${text}`).digest("hex")}`;

const deliveries = [
  { name: "genuine", timestamp: now, signature: sign(now, body), genuine: true },
  { name: "another body", timestamp: now, signature: sign(now, `${body} `), genuine: false },
  { name: "no signature", timestamp: now, signature: "", genuine: false },
  { name: "too old", timestamp: "1700000000", signature: sign("1700000000", body), genuine: false },
];

const block = (language: string, mark: string): string =>
  blocks("docs/webhooks.md").find((found) => found.language === language && found.text.includes(mark))
    ?.text ?? "";

/** Runs a program with a delivery in its environment. */
function outputOf(command: string, file: string, program: string, env: Record<string, string>): string {
  writeFileSync(join(folder, file), program);
  writeFileSync(join(folder, "body.json"), body);
  const options = { cwd: folder, env: { ...process.env, ...env }, encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(command, [file], options);
  expect(stderr).toBe("");
  return stdout.trim();
}

test.for(deliveries)("JavaScript: $name", ({ timestamp, signature, genuine }) => {
  const use = `
const { secret, timestamp, signature } = process.env;
const headers = { "x-sandbox-agent-timestamp": timestamp, "x-sandbox-agent-signature": signature };
console.log(isGenuine(secret, headers, Buffer.from(${JSON.stringify(body)})));`;
  const program = block("js", "isGenuine") + use;
  const output = outputOf(process.execPath, "verify.mjs", program, { secret, timestamp, signature });
  expect(output).toBe(String(genuine));
});

test.for(deliveries)("Python: $name", ({ timestamp, signature, genuine }) => {
  const use = `
import os
headers = {"X-Sandbox-Agent-Timestamp": os.environ["timestamp"], "X-Sandbox-Agent-Signature": os.environ["signature"]}
print(is_genuine(os.environ["secret"], headers, open("body.json", "rb").read()))`;
  const program = block("python", "is_genuine") + use;
  const output = outputOf("python3", "verify.py", program, { secret, timestamp, signature });
  expect(output).toBe(genuine ? "True" : "False");
});

// The shell function leaves the age of a delivery to its caller.
test.for(deliveries.slice(0, 3))("shell: $name", ({ timestamp, signature, genuine }) => {
  const output = outputOf("bash", "verify.sh", block("sh", "body.json"), { secret, timestamp, signature });
  expect(output).toBe(genuine ? "genuine" : "");
});
