// The same object for a terminal, for a program, and as a link.

import type { Connection } from "./connection.ts";
import { formatRoute, type Route } from "./routes.ts";

/** An object that the page shows. */
export type ObjectRef =
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "event"; readonly sessionId: string; readonly eventId: number }
  | { readonly type: "message"; readonly serverId: string; readonly eventId: number }
  | { readonly type: "agent"; readonly id: string }
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "process"; readonly id: string }
  | { readonly type: "mcp" | "skills"; readonly directory: string; readonly name: string };

/** Returns a curl command that reads an object. */
export function curlOf(connection: Connection, object: ObjectRef): string {
  return curl(connection, pathOf(object));
}

/** Returns a curl command for a path. The token stays a variable, so that it is not pasted into chats. */
export function curl(connection: Connection, path: string, body?: unknown): string {
  const auth = connection.token === undefined ? "" : ` -H "Authorization: Bearer $SANDBOX_AGENT_TOKEN"`;
  const json =
    body === undefined ? "" : ` -H 'Content-Type: application/json' -d ${quote(JSON.stringify(body))}`;
  return `curl -s${auth}${json} ${quote(connection.baseUrl + path)}`;
}

/** Returns a program that reads an object. */
export function typescriptOf(connection: Connection, object: ObjectRef): string {
  return [
    `import { SandboxAgent } from "sandbox-agent";`,
    "",
    "const client = await SandboxAgent.connect({",
    `  baseUrl: ${JSON.stringify(connection.baseUrl)},`,
    ...(connection.token === undefined ? [] : ["  token: process.env.SANDBOX_AGENT_TOKEN,"]),
    "});",
    ...statementsOf(object),
  ].join("\n");
}

/** Returns the address of an object in this page, without the token. */
export function linkOf(page: string, object: ObjectRef): string {
  return page.replace(/#.*$/, "") + formatRoute(routeOf(object));
}

function pathOf(object: ObjectRef): string {
  const id = encodeURIComponent;
  switch (object.type) {
    case "session":
      return `/v1/sessions/${id(object.id)}`;
    case "event":
      return `/v1/sessions/${id(object.sessionId)}/events?after=${object.eventId - 1}&limit=1`;
    case "message":
      return `/v1/acp/${id(object.serverId)}?lastEventId=${object.eventId - 1}`;
    case "agent":
      return `/v1/agents/${id(object.id)}`;
    case "file":
      return `/v1/fs/file?path=${id(object.path)}`;
    case "process":
      return `/v1/processes/${id(object.id)}/logs`;
    case "mcp":
      return `/v1/config/mcp?directory=${id(object.directory)}&mcpName=${id(object.name)}`;
    case "skills":
      return `/v1/config/skills?directory=${id(object.directory)}&skillName=${id(object.name)}`;
  }
}

function statementsOf(object: ObjectRef): string[] {
  const text = JSON.stringify;
  switch (object.type) {
    case "session":
      return [
        `const session = await client.sessions.get(${text(object.id)});`,
        `const { text } = await session.send("Continue").done;`,
      ];
    case "event":
      return [
        `const session = await client.sessions.get(${text(object.sessionId)});`,
        `const { events } = await session.eventPage({ after: ${object.eventId - 1}, limit: 1 });`,
      ];
    case "message":
      return [
        `const options = { after: ${object.eventId - 1} };`,
        `for await (const message of client.servers.messages(${text(object.serverId)}, options)) console.log(message);`,
      ];
    case "agent":
      return [`const agent = await client.agents.get(${text(object.id)});`];
    case "file":
      return [`const content = await client.fs.readText(${text(object.path)});`];
    case "process":
      return [`const { entries } = await client.processes.logs(${text(object.id)});`];
    case "mcp":
      return [`const server = await client.config.mcp.get(${text(object.directory)}, ${text(object.name)});`];
    case "skills":
      return [
        `const skills = await client.config.skills.get(${text(object.directory)}, ${text(object.name)});`,
      ];
  }
}

function routeOf(object: ObjectRef): Route {
  switch (object.type) {
    case "session":
      return { screen: "session", id: object.id, panel: undefined };
    case "event":
      return { screen: "session", id: object.sessionId, panel: "events", event: object.eventId };
    case "file":
      return { screen: "files", path: object.path };
    case "process":
      return { screen: "terminals" };
    case "mcp":
    case "skills":
      return { screen: "settings" };
    default:
      return { screen: "home" };
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
