// The form of a new session, and the request that it becomes.

import type { CreateOptions, PermissionMode } from "sandbox-agent";

export interface SessionForm {
  readonly agent: string;
  readonly permissionMode: PermissionMode;
  readonly cwd: string;
  readonly title: string;
  readonly mode: string;
  readonly model: string;
  readonly variant: string;
  readonly env: string;
  readonly mcp: string;
  readonly skills: string;
  readonly policy: string;
}

export function emptyForm(agent: string): SessionForm {
  const texts = {
    cwd: "",
    title: "",
    mode: "",
    model: "",
    variant: "",
    env: "",
    mcp: "",
    skills: "",
    policy: "",
  };
  return { agent, permissionMode: "default", ...texts };
}

/** Returns the request. Throws an error that names the field if a field cannot be read. */
export function createOptions(form: SessionForm): CreateOptions {
  const { agent, permissionMode } = form;
  const options: Record<string, unknown> = {
    agent,
    permissionMode,
    cwd: form.cwd.trim(),
    title: form.title.trim(),
    agentMode: form.mode,
    model: form.model,
    variant: form.variant,
    env: environment(form.env),
    mcp: json("MCP servers", form.mcp),
    skills: json("Skills", form.skills),
    policy: json("Policy", form.policy),
  };
  const given = Object.entries(options).filter(([, value]) => value !== "" && value !== undefined);
  return Object.fromEntries(given) as unknown as CreateOptions;
}

function environment(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      if (at < 1) throw new Error(`Environment: '${line}' is not NAME=value`);
      return [line.slice(0, at).trim(), line.slice(at + 1)];
    }),
  );
}

function json(name: string, text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : "not JSON"}`);
  }
}
