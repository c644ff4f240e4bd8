// Finds the TypeScript examples of a page and makes programs of them.

import { readFileSync } from "node:fs";

export interface Snippet {
  /** Page and line. */
  name: string;
  /** The program, with what the page assumes to be there. */
  program: string;
}

/** Things that a page mentions and a test has only in another form. */
const STAND_INS: readonly [RegExp, string][] = [
  [/"claude"/g, '"demo"'],
  [/cwd: "\/repo"/g, 'cwd: "."'],
  // The demo agent does what it is told; this asks for a permission and a question on the way.
  [/"Fix the failing test"/g, '"permission Edit the test\\nquestion single\\nsay Done"'],
  [/"Now update the changelog"/g, '"say Updated"'],
  [/"secret"/g, 'process.env["SANDBOX_AGENT_TOKEN"]'],
  [/"http:\/\/127\.0\.0\.1:2468"/g, 'process.env["BASE_URL"] ?? ""'],
];

export function snippets(page: URL): Snippet[] {
  const text = readFileSync(page, "utf8");
  const found: Snippet[] = [];
  for (const match of text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
    const line = text.slice(0, match.index).split("\n").length;
    found.push({ name: `${page.pathname.split("/").at(-1)}:${line}`, program: complete(match[1] ?? "") });
  }
  return found;
}

/** Adds the client and the session that an example uses without making them, and answers what nobody else would. */
function complete(snippet: string): string {
  const code = STAND_INS.reduce((text, [pattern, value]) => text.replace(pattern, value), snippet);
  const isAssumed = (name: string): boolean =>
    new RegExp(`\\b${name}\\.`).test(code) && !new RegExp(`\\b(const|using) ${name}\\b`).test(code);
  const assumed: string[] = [];
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
