// Prints the reference of the HTTP API from the contract. `cargo xtask gen` writes it to docs/http-api.md.

import { readFileSync } from "node:fs";

const document = JSON.parse(readFileSync(new URL("../../../openapi/openapi.json", import.meta.url), "utf8"));
const METHODS = ["get", "head", "post", "put", "patch", "delete"];

/** Titles of the sections, in order, by tag. */
const SECTIONS = {
  sessions: ["Sessions", "sessions.md"],
  agents: ["Agents", "agents.md"],
  files: ["Files", "files.md"],
  processes: ["Processes and terminals", "processes.md"],
  config: ["MCP servers and skills", "mcp-and-skills.md"],
  acp: ["ACP servers", "transport.md"],
  "acp-standard": ["ACP remote transport", "transport.md"],
  meta: ["The daemon", "configuration.md"],
};

const resolve = (value) =>
  value?.$ref === undefined
    ? value
    : value.$ref
        .slice(2)
        .split("/")
        .reduce((node, key) => node[key], document);

const oneLine = (text = "") => text.trim().replaceAll(/\s*\n\s*/g, " ");
const cell = (text) => oneLine(text).replaceAll("|", "\\|");

/** Returns a short name of a schema: its component, its values or its type. */
function typeOf(schema = {}) {
  if (schema.$ref !== undefined) {
    const target = resolve(schema);
    return target.enum === undefined ? schema.$ref.split("/").at(-1) : typeOf(target);
  }
  if (schema.enum !== undefined) return schema.enum.map(String).join(" \\| ");
  if (schema.oneOf !== undefined || schema.anyOf !== undefined)
    return (schema.oneOf ?? schema.anyOf).map(typeOf).join(" \\| ");
  if (schema.type === "array") return `${typeOf(schema.items)}[]`;
  if (schema.format === "binary") return "bytes";
  if (typeof schema.additionalProperties === "object") return `map of ${typeOf(schema.additionalProperties)}`;
  return [schema.type ?? "any"].flat().join(" \\| ");
}

function operations() {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({
      path,
      method: method.toUpperCase(),
      ...item[method],
    })),
  );
}

/** Returns the example of a JSON body, or of a component that stands for it. */
function exampleOf(content) {
  const json = content?.["application/json"];
  return json?.example ?? Object.values(json?.examples ?? {})[0]?.value ?? resolve(json?.schema)?.example;
}

function curl({ path, method, parameters = [], requestBody, security }) {
  const query = parameters
    .map(resolve)
    .filter(({ in: place, required }) => place === "query" && required)
    .map(({ name }) => `${name}=${name.toUpperCase()}`)
    .join("&");
  const address = `"$URL${path.replaceAll(/\{(\w+)\}/g, (_, name) => name.toUpperCase())}${query && `?${query}`}"`;
  const words = ["curl -s"];
  if (security === undefined || security.length > 0) words.push('-H "$H"');
  const content = resolve(requestBody)?.content;
  const example = exampleOf(content);
  if (method === "HEAD") words.push("-I");
  else if (method !== (example === undefined ? "GET" : "POST")) words.push(`-X ${method}`);
  words.push(address);
  if (example !== undefined) {
    const body = JSON.stringify(example).replaceAll("'", "'\\''");
    return `${words.join(" ")} \\\n  -H "Content-Type: application/json" -d '${body}'`;
  }
  if (content !== undefined && content["application/json"] === undefined) words.push("--data-binary @FILE");
  return words.join(" ");
}

function parameterRows(operation) {
  return (operation.parameters ?? [])
    .map(resolve)
    .map(
      ({ name, in: place, required, description, schema }) =>
        `| \`${name}\` | ${place} | ${typeOf(schema)} | ${required ? "yes" : ""} | ${cell(description)} |`,
    );
}

function memberRows(operation) {
  const schema = resolve(resolve(operation.requestBody)?.content?.["application/json"]?.schema);
  return Object.entries(schema?.properties ?? {}).map(([name, member]) => {
    const required = schema.required?.includes(name) ? "yes" : "";
    const description = member.description ?? resolve(member)?.description;
    return `| \`${name}\` | body | ${typeOf(member)} | ${required} | ${cell(description)} |`;
  });
}

function answerRows(operation) {
  const own = Object.entries(operation.responses).filter(([, response]) => response.$ref === undefined);
  return own.map(([status, { description, content = {} }]) => {
    const [type, { schema } = {}] = Object.entries(content)[0] ?? [];
    const isJson = type === "application/json";
    const body =
      type === undefined || type.includes("problem") ? "" : isJson ? typeOf(schema) : `\`${type}\``;
    return `| ${status} | ${cell(description)} | ${body} |`;
  });
}

function section(operation) {
  const { method, path, summary, description, operationId } = operation;
  const rows = [...parameterRows(operation), ...memberRows(operation)];
  const lines = [
    "<details>",
    `<summary><code>${method} ${path}</code>: ${summary}</summary>`,
    "",
    `\`${operationId}\`. ${oneLine(description)}`,
    "",
    "```sh",
    curl(operation),
    "```",
    "",
  ];
  if (rows.length > 0)
    lines.push("| Parameter | In | Type | Required | Meaning |", "|---|---|---|---|---|", ...rows, "");
  lines.push("| Status | Meaning | Body |", "|---|---|---|", ...answerRows(operation), "", "</details>", "");
  return lines.join("\n");
}

/** Returns the answers that operations share. Each is a component, and listed once. */
function commonRows() {
  const used = new Map();
  for (const { responses } of operations())
    for (const [status, response] of Object.entries(responses))
      if (response.$ref !== undefined) used.set(status, cell(resolve(response).description));
  const rows = [...used].sort().map(([status, description]) => `| ${status} | ${description} |`);
  return ["| Status | Meaning |", "|---|---|", ...rows];
}

const all = operations();
const left = all.filter(({ tags }) => SECTIONS[tags[0]] === undefined);
if (left.length > 0) throw new Error(`no section for ${left.map(({ path }) => path).join(", ")}`);
const parts = Object.entries(SECTIONS).map(([tag, [title, page]]) => {
  const own = all.filter(({ tags }) => tags[0] === tag);
  return `## ${title}\n\nDetails: [${page}](${page}).\n\n${own.map(section).join("\n")}`;
});

process.stdout.write(`# HTTP API

Call every operation of the daemon: parameters, answers and a curl command for each. This page is
generated from [openapi.json](../openapi/openapi.json) by \`cargo xtask gen\`; the daemon serves the same
document at \`/v1/openapi.json\`.

\`\`\`sh
URL=http://127.0.0.1:2468
H="Authorization: Bearer $SANDBOX_AGENT_TOKEN"
curl -s -H "$H" "$URL/v1/agents"
\`\`\`

Words in capitals, such as \`SESSIONID\`, are yours to fill in. Errors are problem details (RFC 9457,
\`application/problem+json\`) with \`type\`, \`title\`, \`status\`, \`detail\` and sometimes \`details\`.
There are ${all.length} operations.

An operation can also answer with one of these; its own table does not repeat them:

${commonRows().join("\n")}

${parts.join("\n").trimEnd()}
`);
