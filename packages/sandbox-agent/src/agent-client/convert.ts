// From answers of agents and stored records to what callers see.

import type { SessionRecord } from "../persist/driver.ts";
import { extractMetadata, isObject } from "./metadata.ts";
import type { Choice, ConfigOption, ListedSession, Models, OpenedSession } from "./types.ts";

type Answer = Readonly<Record<string, unknown>>;

export function openedSession(sessionId: string, agent: string, answer: Answer): OpenedSession {
  const modes = isObject(answer["modes"]) ? answer["modes"] : {};
  const mode = modes["currentModeId"];
  return {
    sessionId,
    agent,
    configOptions: configOptions(answer),
    modes: list(modes["availableModes"]).map((one) => choice(one, "id")),
    ...(typeof mode === "string" ? { mode } : {}),
    metadata: extractMetadata(answer),
  };
}

/** Returns the settings of an answer. Groups of values are flattened. */
export function configOptions(answer: Answer): ConfigOption[] {
  return list(answer["configOptions"]).map((option) => {
    const { category } = option;
    const values = list(option["options"]).flatMap((one) =>
      Array.isArray(one["options"]) ? list(one["options"]) : [one],
    );
    return {
      id: String(option["id"]),
      name: String(option["name"] ?? option["id"]),
      ...(typeof category === "string" ? { category } : {}),
      value: option["currentValue"],
      choices: values.map((one) => choice(one, "value")),
    };
  });
}

/** Returns the models among the settings of a session. */
export function modelsOf(options: readonly ConfigOption[]): Models {
  const option = options.find(({ category }) => category === "model");
  if (option === undefined) return { models: [] };
  return { models: option.choices, ...(typeof option.value === "string" ? { current: option.value } : {}) };
}

export function listedSession(record: SessionRecord): ListedSession {
  const { id, agent, title, cwd, model, mode, createdAt, updatedAt, endedAt, eventCount, metadata } = record;
  const optional = Object.entries({ title, cwd, model, mode }).filter(([, value]) => value !== undefined);
  return {
    sessionId: id,
    agent,
    ...Object.fromEntries(optional),
    createdAt,
    updatedAt,
    ended: endedAt !== undefined,
    eventCount,
    metadata,
  };
}

function choice(value: Answer, key: "id" | "value"): Choice {
  const { name, description } = value;
  const id = String(value[key]);
  return {
    id,
    name: typeof name === "string" ? name : id,
    ...(typeof description === "string" ? { description } : {}),
  };
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
