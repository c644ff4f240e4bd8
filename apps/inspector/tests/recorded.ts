// Sessions with a given history: the record of a real session, with events of our own, brought in by import.

import type { SandboxAgent, Session, UniversalEvent } from "sandbox-agent";

export type EventData = UniversalEvent["data"];

const START = Date.parse("2026-11-16T09:30:00Z");

/** Imports a session whose log has these events after the first ones of a real session. */
export async function importSession(
  client: SandboxAgent,
  title: string,
  data: readonly EventData[],
  stepMs = 1_800,
): Promise<Session> {
  const model = await client.sessions.create({ agent: "demo", title });
  const lines = (await new Response(await model.export()).text()).trimEnd().split("\n");
  const header = JSON.parse(lines[0] ?? "{}") as { sessionId: string; lastEventId: number };
  const first = lines.slice(1);
  const common = JSON.parse(first[0] ?? "{}") as Record<string, unknown>;
  const events = data.map((value, index) => {
    const timestamp = new Date(START + index * stepMs).toISOString();
    const id = first.length + index + 1;
    return JSON.stringify({ ...common, id, timestamp, type: Object.keys(value)[0], data: value });
  });
  header.lastEventId = first.length + events.length;
  await model.delete();
  const body = `${[JSON.stringify(header), ...first, ...events].join("\n")}\n`;
  return client.sessions.import(body, { id: model.id });
}

type Parts = readonly Record<string, unknown>[];

/** A message of the agent. */
export function said(id: string, turnId: string, parts: Parts): EventData {
  return { message: { id, role: "assistant", parts, metadata: { turnId } } } as unknown as EventData;
}

/** A message of the user, with the start of its turn. */
export function asked(id: string, turnId: string, text: string): EventData[] {
  const message = { id, role: "user", parts: [{ type: "text", text }], metadata: { turnId } };
  return [{ message }, { turnStarted: { turnId, messageId: id } }] as unknown as EventData[];
}

/** A tool call that is done. */
export function called(id: string, turnId: string, call: Record<string, unknown>, content: Parts): EventData {
  const parts = [
    { type: "toolCall", id, status: "completed", ...call },
    { type: "toolResult", id, isError: call["status"] === "failed", content },
  ];
  return said(`tool:${id}`, turnId, parts);
}

export function ended(turnId: string, usage: Record<string, number>): EventData {
  return { turnEnded: { turnId, stopReason: "endTurn", usage } } as unknown as EventData;
}

/** Imports a session of so many turns, ten events each, with calls, output and prose. */
export function longSession(client: SandboxAgent, turns: number): Promise<Session> {
  const list = { name: "Bash", title: "ls", kind: "execute", input: { command: "ls" } };
  const events = Array.from({ length: turns }, (_, turn) => [
    ...asked(`u${turn}`, `t${turn}`, `Question ${turn}`),
    ...Array.from({ length: 6 }, (_, call) =>
      called(`c${turn}-${call}`, `t${turn}`, list, [{ type: "text", text: "a\nb\n" }]),
    ),
    said(`a${turn}`, `t${turn}`, [
      { type: "text", text: `Answer **${turn}** with \`code\` and a list:\n\n- one\n- two` },
    ]),
    ended(`t${turn}`, { inputTokens: 10, outputTokens: 10 }),
  ]).flat();
  return importSession(client, "Long", events, 10);
}
