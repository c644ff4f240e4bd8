// Makes programs of the TypeScript examples.

import type { Block } from "./pages.ts";
import { adaptProgram } from "./stand-ins.ts";

export interface Program {
  /** Page and line. */
  name: string;
  language: "ts" | "tsx";
  /** The program, with everything that the page assumes to be there. */
  program: string;
  /** Uses what the program exports, for the run only. */
  use: string;
}

/** Makes a program of an example. */
export function programOf({ page, line, language, text }: Block): Program {
  const program = complete(text);
  const name = `${page}:${line}`;
  return { name, language: language === "tsx" ? "tsx" : "ts", program, use: useOf(program) };
}

/** Renders an exported component on a server, and sends a request to an exported route. */
function useOf(program: string): string {
  const [, name] = /^export (?:async )?function (\w+)/m.exec(program) ?? [];
  if (name === "POST") return POST;
  if (name === "GET") return GET;
  return name !== undefined && /^[A-Z]/.test(name) ? RENDER.replaceAll("COMPONENT", name) : "";
}

const POST = `
const parts = [{ type: "text", text: "say Hello from the route" }];
const body = JSON.stringify({ id: "chat-" + crypto.randomUUID(), messages: [{ id: "m1", role: "user", parts }] });
const answer = await (await POST(new Request("http://localhost/api/chat", { method: "POST", body }))).text();
if (!answer.includes("Hello from the route")) throw new Error(answer);
`;

const GET = `
const idle = await client.sessions.create({ agent: "demo" });
const { status } = await GET(new Request("http://localhost"), { params: Promise.resolve({ id: idle.id }) });
if (status !== 204) throw new Error("status " + status);
`;

const RENDER = `
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { SandboxAgentProvider as Provider } from "@sandbox-agent/react";
const own = Sdk.open({ baseUrl: process.env["BASE_URL"] ?? "" });
const props = { client: own, token: "t", id: "mine", processId: "p", messages: [] };
const html = renderToString(createElement(Provider, { client: own }, createElement(COMPONENT, props)));
if (!html.startsWith("<")) throw new Error(html);
`;

/** Adds the client and the session that an example uses without making them, and answers what nobody else would. */
function complete(snippet: string): string {
  const code = adaptProgram(snippet);
  const isAssumed = (name: string): boolean =>
    new RegExp(`\\b${name}\\.`).test(code) && !new RegExp(`\\b(const|using) ${name}\\b`).test(code);
  const assumed: string[] = [];
  if (/\$\{token\}/.test(code) && !/\bconst .*\btoken\b.* =/.test(code))
    assumed.push('const token = process.env["SANDBOX_AGENT_TOKEN"] ?? "";');
  if (isAssumed("client") || isAssumed("session"))
    assumed.push(
      'const connection = { baseUrl: process.env["BASE_URL"] ?? "", token: process.env["SANDBOX_AGENT_TOKEN"] };',
      "const client = await Sdk.connect(connection);",
    );
  if (isAssumed("session")) assumed.push('const session = await client.sessions.create({ agent: "demo" });');
  const handlers = [
    code.includes("onPermission") ? "" : "session.onPermission((permission) => permission.allowOnce());",
    code.includes("onQuestion") ? "" : "session.onQuestion((question) => question.reject());",
  ].join("\n");
  const asks = code.includes("session.send(");
  const isOwn = asks && !isAssumed("session");
  const body = isOwn ? code.replace(/^const session = .*$/m, (line) => `${line}\n${handlers}`) : code;
  if (asks && !isOwn) assumed.push(handlers);
  return [
    'import { SandboxAgent as Sdk } from "sandbox-agent";',
    "void Sdk;",
    ...assumed,
    body,
    "export {};",
  ].join("\n");
}
