// Replaces things that a page mentions and a test has only in another form.

const COMMON: readonly [RegExp, string][] = [
  [/"claude"/g, '"demo"'],
  // The demo agent follows a script; this one asks for a permission and a question on the way.
  [/"Fix the failing test"/g, '"permission Edit the test\\nquestion single\\nsay Done"'],
  [/"Now update the changelog"/g, '"say Updated"'],
];

const PROGRAM: readonly [RegExp, string][] = [
  [/cwd: "\/repo"/g, 'cwd: "."'],
  [/"secret"/g, 'process.env["SANDBOX_AGENT_TOKEN"]'],
  [/="http:\/\/127\.0\.0\.1:2468"/g, '={process.env["BASE_URL"] ?? ""}'],
  [/"http:\/\/127\.0\.0\.1:2468"/g, 'process.env["BASE_URL"] ?? ""'],
  [/"http:\/\/127\.0\.0\.1:2468(\/[^"]+)"/g, '(process.env["BASE_URL"] ?? "") + "$1"'],
];

const SHELL: readonly [RegExp, string][] = [
  [/http:\/\/127\.0\.0\.1:2468/g, "$SANDBOX_AGENT_ENDPOINT"],
  [/^export SANDBOX_AGENT_TOKEN=.*$/gm, ":"],
  // Nothing listens there: no test reaches beyond this machine.
  [/https:\/\/example\.com/g, "http://127.0.0.1:9"],
  [/^sandbox-agent server &$/gm, ":"],
  // A developer's own server often has this port.
  [/--port 3000/g, "--port 0"],
  [/--agent claude/g, "--agent demo"],
];

/** Adapts a TypeScript example to the test. */
export function adaptProgram(code: string): string {
  return replace(code, [...COMMON, ...PROGRAM]);
}

/** Adapts a shell example to the test. */
export function adaptShell(code: string): string {
  return replace(code, [...COMMON, ...SHELL]);
}

function replace(code: string, pairs: readonly [RegExp, string][]): string {
  return pairs.reduce((text, [pattern, value]) => text.replace(pattern, value), code);
}
