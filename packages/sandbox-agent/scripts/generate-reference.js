// Prints the reference of the SDK from its doc comments. `cargo xtask gen` writes it to docs/typescript-api.md.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The classes, in order, each with the expression that stands for an instance. */
const CLASSES = [
  ["SandboxAgent", "client", "A connection to one daemon"],
  ["Sessions", "client.sessions", "Sessions of the daemon"],
  ["Session", "session", "One session"],
  ["Turn", "turn", "One turn, as `session.send` returns it"],
  ["PermissionPrompt", "permission", "An open permission request"],
  ["QuestionPrompt", "question", "An open question"],
  ["Agents", "client.agents", "Agents and their installation"],
  ["Installation", "installation", "A running installation"],
  ["Files", "client.fs", "Files of the sandbox"],
  ["Processes", "client.processes", "Commands, processes and terminals"],
  ["ProcessOutput", "output", "One piece of a process's output"],
  ["Terminal", "terminal", "The terminal of a process"],
  ["Config", "client.config", "MCP servers and skills of directories"],
  ["Entries", "client.config.mcp", "Entries of a directory; `client.config.skills` has the same"],
  ["Servers", "client.servers", "Agent processes"],
  ["Tickets", "client.tickets", "Tickets for streams in browsers"],
  ["UsageReports", "client.usage", "Tokens and cost"],
  ["SandboxAgentClient", "agent", "An ACP client with the protocol's own calls"],
  ["PermissionAsk", "permission", "A permission request of a `SandboxAgentClient`"],
  ["QuestionAsk", "question", "A question of a `SandboxAgentClient`"],
];

const config = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
const entry = `${ROOT}packages/sandbox-agent/src/index.ts`;
const program = ts.createProgram([entry], options);
const checker = program.getTypeChecker();
const exported = new Map(
  checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))
    .map((symbol) => [
      symbol.name,
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    ]),
);

const contract = JSON.parse(readFileSync(`${ROOT}openapi/openapi.json`, "utf8"));
const operations = new Map(
  Object.values(contract.paths)
    .flatMap(Object.values)
    .map((operation) => [operation.operationId, operation]),
);

const printer = ts.createPrinter({ removeComments: true });
const text = (node) => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
const html = (code) => code.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function isPublic(member) {
  const modifiers = ts.getCombinedModifierFlags(member);
  const isHidden = modifiers & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected);
  return member.name !== undefined && ts.isIdentifier(member.name) && !isHidden;
}

function documentation(symbol) {
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return comment.trim().replaceAll(/\s*\n\s*/g, " ");
}

/** Returns the signatures of a method: its overloads, or else that of its implementation. */
function signatures(method, methods) {
  const same = methods.filter(({ name }) => name.text === method.name.text);
  const overloads = same.filter(({ body }) => body === undefined);
  return (overloads.length > 0 ? overloads : same).map(({ name, typeParameters, parameters, type }) => {
    const generics = typeParameters === undefined ? "" : `<${typeParameters.map(text).join(", ")}>`;
    return `${text(name)}${generics}(${parameters.map(text).join(", ")})${type ? `: ${text(type)}` : ""}`;
  });
}

function methodSection(name, method, methods) {
  const comment = documentation(checker.getSymbolAtLocation(method.name));
  const first = comment.split(/(?<=\.) /)[0] ?? "";
  return [
    `<details>\n<summary><code>${html(name)}()</code>${first && `: ${html(first)}`}</summary>\n`,
    `\`\`\`ts\n${signatures(method, methods).join("\n")}\n\`\`\`\n`,
    ...(comment === first ? [] : [`${comment}\n`]),
    "</details>\n",
  ].join("\n");
}

function propertyRow(name, property) {
  const symbol = checker.getSymbolAtLocation(property.name);
  const type = property.type ? text(property.type) : checker.typeToString(checker.getTypeOfSymbol(symbol));
  return `| \`${name}\` | \`${type.replaceAll("|", "\\|")}\` | ${documentation(symbol)} |`;
}

function section(className, instance, summary) {
  const declaration = exported.get(className)?.declarations?.find(ts.isClassDeclaration);
  if (declaration === undefined) throw new Error(`${className} is not an exported class`);
  const nameOf = (member) => {
    const isStatic = (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static) !== 0;
    return `${isStatic ? className : instance}.${member.name.text}`;
  };
  const members = declaration.members.filter(isPublic);
  const methods = members.filter(ts.isMethodDeclaration);
  const properties = members.filter(
    (member) => ts.isPropertyDeclaration(member) || ts.isGetAccessorDeclaration(member),
  );
  const firsts = new Map(methods.toReversed().map((method) => [nameOf(method), method]));
  const parts = [`## \`${className}\`\n\n${summary}: \`${instance}\`.\n`];
  if (properties.length > 0)
    parts.push(
      ["| Property | Type | Meaning |", "|---|---|---|"].join("\n"),
      `${properties.map((property) => propertyRow(nameOf(property), property)).join("\n")}\n`,
    );
  for (const [name, method] of [...firsts].reverse()) parts.push(methodSection(name, method, methods));
  return parts.join("\n");
}

/** Names of types whose members callers spell out. */
const OPTIONS = /(Options|Query|Selection)$/;

/** Longer types of members are named by what they are, as a table has no room for them. */
const LONGEST_TYPE = 80;

/** Returns the names around a declaration, from the inside out. */
function* enclosing(node) {
  for (let at = node; at !== undefined; at = at.parent) if (at.name !== undefined) yield at.name.text;
}

/** Returns the description in the contract of a member that was generated from it. */
function contractDescription([member, owner, , operationId]) {
  const parameters = operations.get(operationId)?.parameters ?? [];
  const described =
    contract.components.schemas[owner]?.properties?.[member] ??
    parameters.find(({ name }) => name === member);
  return described?.description?.replaceAll(/\s*\n\s*/g, " ") ?? "";
}

function typeText(member, declaration) {
  if (declaration === undefined)
    return checker.typeToString(checker.getNonNullableType(checker.getTypeOfSymbol(member)));
  const written = text(declaration.type)
    .replaceAll(/\s+/g, " ")
    .replace(/ \| undefined$/, "");
  return written.replaceAll(/components\["schemas"\]\["(\w+)"\]/g, "$1");
}

function optionRow(member) {
  const declaration = member.declarations?.find((node) => node.type !== undefined);
  const type = typeText(member, declaration);
  const shown = type.length > LONGEST_TYPE ? "object" : type;
  const name = member.flags & ts.SymbolFlags.Optional ? `${member.name}?` : member.name;
  const meaning = documentation(member) || contractDescription([...enclosing(declaration)]);
  const cell = (words) => words.replaceAll("|", "\\|");
  return `| \`${name}\` | \`${cell(shown)}\` | ${cell(meaning)} |`;
}

/** Returns the members of an options type, inherited ones included. */
function optionsSection(name) {
  const symbol = exported.get(name);
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  const comment = documentation(symbol);
  return [
    `### \`${name}\`\n`,
    ...(comment === "" ? [] : [`${comment}\n`]),
    ["| Member | Type | Meaning |", "|---|---|---|"].join("\n"),
    `${members.map(optionRow).join("\n")}\n`,
  ].join("\n");
}

/** Returns the exported types of options that these texts mention, in the order of their names. */
function mentionedOptions(sections) {
  const words = new Set(sections.join("\n").match(/\b[A-Z]\w+\b/g));
  return [...words].filter((word) => OPTIONS.test(word) && exported.has(word)).sort();
}

const unlisted = [...exported]
  .filter(([name, { declarations = [] }]) => {
    const isClass = declarations.some(ts.isClassDeclaration);
    return isClass && !name.endsWith("Error") && !CLASSES.some(([known]) => known === name);
  })
  .map(([name]) => name);
if (unlisted.length > 0) throw new Error(`no section for ${unlisted.join(", ")}`);

const sections = CLASSES.map((parts) => section(...parts));

process.stdout.write(`# TypeScript SDK: classes and methods

Look up every class, method, property and option of the package \`sandbox-agent\`. The
[guide](typescript.md) shows how to use them. This page is generated from the doc comments by
\`cargo xtask gen\`.

${sections.join("\n")}
## Options

The members of the objects that methods take. A question mark means that a member may be left out.

${mentionedOptions(sections).map(optionsSection).join("\n").trimEnd()}
`);
