// The parts without React behind decisions, changes and findings.

import type { AgentInfo, PermissionRequest, UniversalEvent } from "sandbox-agent";
import { expect, test } from "vitest";
import { findingsOf, worstOf } from "../src/core/findings.ts";
import {
  clientName,
  decidedBy,
  forgetDecision,
  isOwnDecision,
  rememberDecision,
} from "../src/core/identity.ts";
import { rowOfTarget } from "../src/core/jump.ts";
import { moved } from "../src/core/order.ts";
import type { Row } from "../src/core/rows.ts";
import { ruleText, scopesOf } from "../src/core/rules.ts";
import { parseNumstat } from "../src/core/working-tree.ts";

const request = (more: Partial<PermissionRequest>): PermissionRequest => ({
  id: "p",
  toolCallId: "c",
  title: "t",
  kind: "execute",
  options: [],
  ...more,
});

const rules = (more: Partial<PermissionRequest>): string[] =>
  scopesOf(request(more)).map(({ rule }) => ruleText(rule));

test("rules range from this call to every call", () => {
  expect(rules({ input: { command: "npm test -- retry" } })).toEqual([
    "execute · npm test -- retry",
    "execute · npm test *",
    "execute · npm *",
    "execute · everything",
  ]);
  expect(rules({ kind: "edit", input: { file_path: "/w/src/a.ts" } })).toEqual([
    "edit · /w/src/a.ts",
    "edit · /w/src/*",
    "edit · everything",
  ]);
  expect(rules({ kind: "fetch", input: { url: "https://example.org/a?b" } })).toEqual([
    "fetch · https://example.org/a?b",
    "fetch · https://example.org/*",
    "fetch · everything",
  ]);
  expect(rules({ kind: "other", tool: "deploy" })).toEqual(["deploy · everything"]);
});

test("commands that are joined are offered as a whole only, and several paths not at all", () => {
  expect(rules({ input: { command: "npm test && rm -rf x" } })).toEqual([
    "execute · npm test && rm -rf x",
    "execute · everything",
  ]);
  const change = (path: string) => ({ type: "file" as const, path, diff: { newText: "" } });
  expect(rules({ kind: "edit", parts: [change("/w/a"), change("/w/b")] })).toEqual(["edit · everything"]);
});

test("a decision is named by who made it", () => {
  expect(clientName("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36")).toBe(
    "Inspector, Chrome on Linux",
  );
  expect(clientName("curl/8")).toBe("Inspector");
  expect(decidedBy("client", undefined, true)).toBe("by you");
  expect(decidedBy("client", "Inspector, Firefox on macOS", false)).toBe("by Inspector, Firefox on macOS");
  expect(decidedBy("client", undefined, false)).toBe("by another client");
  expect(decidedBy("rule", undefined, false)).toBe("by a rule");
});

test("a tab knows its own decisions, the newest of them", () => {
  const values = new Map<string, string>();
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  } as Storage;
  for (let id = 0; id < 300; id += 1) rememberDecision(storage, String(id));
  expect([isOwnDecision(storage, "299"), isOwnDecision(storage, "0")]).toEqual([true, false]);
  forgetDecision(storage, "299");
  expect(isOwnDecision(storage, "299")).toBe(false);
  values.set([...values.keys()][0] ?? "", "{broken");
  expect(isOwnDecision(storage, "1")).toBe(false);
});

test("changes, renames and binary files of git are read", () => {
  const output = "3\t1\tsrc/a b.ts\0-\t-\tlogo.png\0" + "2\t0\t\0old.ts\0new.ts\0";
  expect(parseNumstat(output)).toEqual([
    { path: "src/a b.ts", kind: "tracked", added: 3, removed: 1 },
    { path: "logo.png", kind: "tracked" },
    { path: "new.ts", oldPath: "old.ts", kind: "tracked", added: 2, removed: 0 },
  ]);
  expect(parseNumstat("")).toEqual([]);
});

test("an entry is moved in both directions", () => {
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"]);
});

test("the worst finding about an agent comes first", () => {
  const agent = {
    id: "claude",
    name: "Claude Code",
    launch: { kind: "builtin" },
    installed: true,
    installable: true,
    builtIn: false,
    version: "1.0.0",
    source: "npm",
    path: "/x/claude",
    versions: [],
    credentialStatus: "available",
    credentialsAvailable: true,
    credentials: [
      { kind: "oauth", origin: "~/.claude", provider: "anthropic", expiresAt: "2020-01-01T00:00:00Z" },
    ],
    capabilities: {},
    running: 0,
  } as unknown as AgentInfo;
  expect(worstOf(findingsOf(agent))?.detail).toMatch(/expired/);
  const valid = {
    ...agent,
    credentials: [{ kind: "apiKey", origin: "ANTHROPIC_API_KEY", provider: "anthropic" }],
  };
  expect(worstOf(findingsOf(valid))).toBeUndefined();
  expect(worstOf(findingsOf(valid, { ok: false, reason: "no such file" }))?.detail).toBe("no such file");
  expect(worstOf(findingsOf({ ...valid, installed: false, installable: false }))?.verdict).toBe("wrong");
});

test("an event leads to the row that it is about, or to the one before it", () => {
  const user = { type: "user", key: "u", item: { id: "msg_1", position: 1 } };
  const said = { type: "part", key: "a/0", item: { id: "a", position: 3 } };
  const end = { type: "turnEnd", key: "e", item: { turnId: "t", position: 9 } };
  const rows = [user, said, end] as unknown as Row[];
  const event = (id: number, data: object) => ({ id, data }) as unknown as UniversalEvent;
  const at = (of: UniversalEvent) => rowOfTarget(rows, { event: of });
  expect(at(event(7, { messageDelta: { messageId: "a" } }))).toBe(1);
  expect(at(event(9, { turnEnded: { turnId: "t" } }))).toBe(2);
  expect(at(event(5, { usage: {} }))).toBe(1);
  expect(rowOfTarget(rows, { eventId: 2 })).toBe(0);
  expect(rowOfTarget(rows, { key: "nowhere" })).toBeUndefined();
});
