// The SDK against the OpenAPI document: every operation has a method, every problem code a class, and nothing is stale.

import { readFileSync } from "node:fs";
import * as sdk from "sandbox-agent";
import { ProblemError, SandboxAgent, SandboxAgentError, Session, type SessionInfo } from "sandbox-agent";
import { describe, expect, test } from "vitest";
import { problemError } from "../../src/errors/problems.ts";
import { Http } from "../../src/http/http.ts";
import { CALLS, COVERED_OPERATIONS, RAW_OPERATIONS } from "./operations.ts";

const ROOT = new URL("../../../../", import.meta.url);

interface Operation {
  operationId: string;
  parameters?: { in: string; name: string }[];
}

const document = JSON.parse(readFileSync(new URL("openapi/openapi.json", ROOT), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

/** A terminal is a WebSocket, which the tests of processes open for real. */
const SOCKETS = ["attachProcessTerminal"];

test("every operation has a method, and no method is for an operation that is gone", () => {
  const known = [...Object.keys(CALLS), ...Object.keys(COVERED_OPERATIONS), ...RAW_OPERATIONS, ...SOCKETS];
  expect(known.toSorted()).toEqual(operations.map(({ operation }) => operation.operationId).toSorted());
  for (const other of Object.values(COVERED_OPERATIONS)) expect(CALLS).toHaveProperty(other);
});

describe("a method calls its operation, with parameters that the operation has", () => {
  for (const { method, path, operation } of operations) {
    const call = CALLS[operation.operationId];
    if (call === undefined) continue;
    test(operation.operationId, async () => {
      const requests: { method: string; url: URL }[] = [];
      const fetch: typeof globalThis.fetch = async (input, init) => {
        requests.push({ method: init?.method ?? "GET", url: new URL(String(input)) });
        return new Response("{}", { status: 404 });
      };
      const options = { baseUrl: "http://daemon", healthTimeoutMs: 0, fetch };
      const client = await SandboxAgent.connect(options);
      const session = new Session(new Http(options), { sessionId: "s" } as SessionInfo);
      await settle(call(client, session));
      const [request] = requests;
      expect(request?.method).toBe(method);
      expect(request?.url.pathname).toMatch(new RegExp(`^${path.replace(/\{[^}]+\}/g, "[^/]+")}$`));
      const parameters = operation.parameters?.filter((parameter) => parameter.in === "query") ?? [];
      const names = parameters.map((parameter) => parameter.name);
      for (const name of request?.url.searchParams.keys() ?? []) expect(names).toContain(name);
    });
  }
});

async function settle(result: PromiseLike<unknown> | AsyncIterable<unknown>): Promise<void> {
  const running =
    "then" in result ? result : (async () => void (await result[Symbol.asyncIterator]().next()))();
  await expect(running).rejects.toBeInstanceOf(SandboxAgentError);
}

describe("problems", () => {
  const source = readFileSync(new URL("crates/sa-api/src/problem.rs", ROOT), "utf8");
  const codes = [...source.matchAll(/^ {4}\w+ "(\w+)" (\d{3}) "[^"]+";$/gm)];

  test("every code of the daemon has a class of its own, which is exported", () => {
    expect(codes.length).toBeGreaterThan(30);
    const classes = codes.map(([, code = "", status]) => {
      const problem = {
        type: `urn:sandbox-agent:error:${code}`,
        title: "",
        detail: "d",
        status: Number(status),
      };
      const error = problemError(problem, "id");
      expect(error.constructor, code).not.toBe(ProblemError);
      expect(error).toMatchObject({ code, status: Number(status), requestId: "id", message: "d" });
      expect(Reflect.get(sdk, error.name), error.name).toBe(error.constructor);
      return error.name;
    });
    expect(new Set(classes).size).toBe(codes.length);
    const exported = Object.values(sdk).filter(
      (value) => typeof value === "function" && value.prototype instanceof ProblemError,
    );
    expect(exported.map((value) => value.name).toSorted()).toEqual(classes.toSorted());
  });

  test("a code of a newer daemon is a plain problem", () => {
    const error = problemError({ type: "urn:sandbox-agent:error:new", title: "", detail: "d", status: 499 });
    expect(error.constructor).toBe(ProblemError);
    expect(error).toMatchObject({ code: "new", status: 499 });
  });
});
