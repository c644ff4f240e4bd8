// docs/http-api.md: every curl command gets an answer that the page documents.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { read } from "./pages.ts";
import { adaptShell } from "./stand-ins.ts";

const run = promisify(execFile);

/** Prints the status instead of the body. A stream has sent it when the time is up, on a busy machine later. */
const PRELUDE = `
URL=$SANDBOX_AGENT_ENDPOINT; H="Authorization: Bearer $SANDBOX_AGENT_TOKEN"
curl() {
  local limit status
  for limit in 3 10 40; do
    status=$(command curl --max-time $limit -o /dev/null -w '%{http_code}' "$@") || true
    [ "$status" = 000 ] || break
  done
  echo "$status"
}
`;

const [head = "", ...sections] = read("docs/http-api.md").split("<details>\n");
const shared = statuses(head);
const operations = sections.map((section) => ({
  name: /<code>(.*?)<\/code>/.exec(section)?.[1] ?? "",
  command: /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? "",
  documented: [...shared, ...statuses(section)],
}));

function statuses(text: string): string[] {
  return [...text.matchAll(/^\| (\d{3}) \|/gm)].map(([, status = ""]) => status);
}

let daemon: Daemon;

beforeAll(async () => {
  // Nothing is downloaded.
  daemon = await startDaemon({ flags: ["--require-preinstall"] });
  writeFileSync(join(daemon.home, "FILE"), "content\n");
});

afterAll(() => daemon.stop());

test("all operations are there", () => {
  const contract = JSON.parse(read("openapi/openapi.json")) as { paths: Record<string, object> };
  const methods = Object.values(contract.paths).flatMap((path) => Object.keys(path));
  expect(operations.length).toBe(methods.filter((method) => method !== "parameters").length);
});

describe("the commands work", () => {
  test.concurrent.for(operations)("$name", { timeout: 120_000 }, async (operation, { expect }) => {
    const { stdout } = await run("bash", ["--norc", "-c", PRELUDE + adaptShell(operation.command)], {
      cwd: daemon.home,
      env: {
        HOME: daemon.home,
        PATH: process.env["PATH"],
        SANDBOX_AGENT_ENDPOINT: daemon.baseUrl,
        SANDBOX_AGENT_TOKEN: daemon.token,
      },
    });
    expect(operation.documented).toContain(stdout.trim());
  });
});
