// The same object for a terminal and for a program.

import type { Connection } from "./connection.ts";

/** Returns a curl command for a path. The token stays a variable, so that it is not pasted into chats. */
export function curl(connection: Connection, path: string, body?: unknown): string {
  const auth = connection.token === undefined ? "" : ` -H "Authorization: Bearer $SANDBOX_AGENT_TOKEN"`;
  const json =
    body === undefined ? "" : ` -H 'Content-Type: application/json' -d ${quote(JSON.stringify(body))}`;
  return `curl -s${auth}${json} ${quote(connection.baseUrl + path)}`;
}

/** Returns a program that opens a session. */
export function typescript(connection: Connection, sessionId: string): string {
  return [
    `import { SandboxAgent } from "sandbox-agent";`,
    "",
    "const client = await SandboxAgent.connect({",
    `  baseUrl: ${JSON.stringify(connection.baseUrl)},`,
    "  token: process.env.SANDBOX_AGENT_TOKEN,",
    "});",
    `const session = await client.sessions.get(${JSON.stringify(sessionId)});`,
    `const { text } = await session.send("Continue").done;`,
  ].join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
