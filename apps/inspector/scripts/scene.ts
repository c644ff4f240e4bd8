// The sandbox that the pictures show: a small project, and sessions that wait, run and are done.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SandboxAgent, Session } from "sandbox-agent";

export const PROJECT = "/tmp/workspace/retry";

const FILES: Record<string, string> = {
  "README.md": "# retry\n\nRuns a function again until it succeeds.\n",
  "package.json":
    '{\n  "name": "retry",\n  "version": "1.4.0",\n  "type": "module",\n  "scripts": { "test": "vitest run" }\n}\n',
  "tsconfig.json": '{\n  "compilerOptions": { "strict": true }\n}\n',
  "src/index.ts":
    'export { delayOf, withRetry } from "./retry.ts";\nexport type { RetryOptions } from "./retry.ts";\n',
  "src/retry.ts": readFileSync(new URL("../../../crates/sa-demo/src/tour/retry.ts", import.meta.url), "utf8"),
  "test/retry.test.ts": 'import { expect, test } from "vitest";\n',
};

const TASK = "/tour The retry test fails since this morning. Find out why, fix it, and run the tests.";

const CLIENT = "Ada's laptop";

export interface Scene {
  readonly project: string;
  readonly done: Session;
  readonly permission: Session;
  readonly question: Session;
  readonly plan: Session;
}

/** Writes the project. The daemon has to find it when it starts. */
export function writeProject(): void {
  rmSync(PROJECT, { recursive: true, force: true });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(PROJECT, name)), { recursive: true });
    writeFileSync(join(PROJECT, name), text);
  }
}

export async function setScene(client: SandboxAgent): Promise<Scene> {
  const start = async (title: string, prompt: string, mode: "default" | "plan" | "bypass" = "default") => {
    const session = await client.sessions.create({
      agent: "demo",
      title,
      cwd: PROJECT,
      permissionMode: mode,
    });
    session.send(prompt);
    return session;
  };
  await start("Port the parser to streams", "plan every 60000\nhang", "bypass");
  const plan = await start("Plan the fix of the retry delay", TASK, "plan");
  const question = await start("Limit the wait between retries", TASK);
  const permission = await start("Double the delay after each failure", TASK);
  const done = await start("Fix the failing retry test", TASK);
  for (const session of [permission, done]) {
    const [asked] = (await waiting(client, session)).questions;
    if (asked !== undefined) await session.replyQuestion(asked.id, [["30 seconds"]], { client: CLIENT });
  }
  const [edit] = (await waiting(client, done, "permissions")).permissions;
  if (edit !== undefined) await done.replyPermission(edit.id, { reply: "once", client: CLIENT });
  await until(client, done, (info) => info.state === "idle");
  for (const session of [question, plan]) await waiting(client, session);
  await waiting(client, permission, "permissions");
  return { project: PROJECT, done, permission, question, plan };
}

function waiting(client: SandboxAgent, session: Session, what: "questions" | "permissions" = "questions") {
  return until(client, session, (info) => info[what].length > 0);
}

async function until(
  client: SandboxAgent,
  session: Session,
  holds: (info: Session["info"]) => boolean,
): Promise<Session["info"]> {
  for (;;) {
    const { info } = await client.sessions.get(session.id);
    if (holds(info)) return info;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
