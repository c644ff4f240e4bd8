// From the messages that a chat sends to a turn: a new message, or answers to what the agent asked.

import { isToolUIPart } from "ai";
import type { CreateOptions, InputPart, SandboxAgent, Session, Turn } from "sandbox-agent";
import type { Decision } from "./chunks.ts";
import {
  PLAN_APPROVAL_TOOL,
  QUESTION_TOOL,
  type QuestionOutput,
  type SandboxAgentMessage,
} from "./message.ts";
import type { StreamOptions, TurnPart } from "./stream.ts";

/** Gets the session of a chat, or creates it. */
export async function openSession(
  client: SandboxAgent,
  id: string,
  create: Omit<CreateOptions, "id">,
  options: StreamOptions = {},
): Promise<Session> {
  return await client.sessions.getOrCreate({ ...create, id }, options);
}

export interface SubmitOptions {
  /** `regenerate-message` sends the last message of the user again. */
  trigger?: "submit-message" | "regenerate-message" | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Sends the last message of a chat to the session. If it is a message of the agent, its answers to permissions and questions
 * are sent instead, and the turn continues. Pass the result to `toUIMessageStreamResponse`.
 */
export async function submitMessages(
  session: Session,
  messages: readonly SandboxAgentMessage[],
  options: SubmitOptions = {},
): Promise<Turn | TurnPart> {
  const { trigger = "submit-message", signal } = options;
  const last = messages.at(-1);
  if (last?.role === "assistant" && trigger === "submit-message") return answer(session, last, { signal });
  const message = messages.findLast(({ role }) => role === "user");
  if (message === undefined)
    throw new TypeError("no message to send: messages has none with the role 'user'");
  // A request that is repeated must not send the message twice.
  const once = trigger === "submit-message" ? { idempotencyKey: `ui-${message.id}` } : {};
  return session.send(inputOf(message), { ...once, ...(signal === undefined ? {} : { signal }) });
}

async function answer(
  session: Session,
  message: SandboxAgentMessage,
  options: StreamOptions,
): Promise<TurnPart> {
  const { turnId, lastEventId } = message.metadata ?? {};
  if (turnId === undefined || lastEventId === undefined) {
    throw new TypeError(`message ${message.id} has no turn to continue`);
  }
  const decisions: Decision[] = [];
  for (const part of message.parts) {
    if (!isToolUIPart(part)) continue;
    if (part.state === "approval-responded") {
      decisions.push({ permissionId: part.approval.id, toolCallId: part.toolCallId });
      await decide(session, part.approval, options);
    } else if (part.state === "output-available" && isUnsent(part)) {
      await reply(session, part.toolCallId, part.output as QuestionOutput, options);
    }
  }
  return { session, turnId, after: lastEventId, kind: "continuation", decisions };
}

async function decide(
  session: Session,
  { id, approved, reason }: { id: string; approved: boolean; reason?: string },
  options: StreamOptions,
): Promise<void> {
  const why = reason === undefined || approved ? {} : { message: reason };
  await session.replyPermission(id, { reply: approved ? "once" : "reject", ...why }, options);
}

async function reply(
  session: Session,
  id: string,
  { answers }: QuestionOutput,
  options: StreamOptions,
): Promise<void> {
  if (answers === undefined) await session.rejectQuestion(id, options);
  else await session.replyQuestion(id, answers, options);
}

/**
 * Returns whether a chat should send its last message again because the user has answered all that the agent asked. Pass it
 * to `useChat` as `sendAutomaticallyWhen`.
 */
export function isAnswered({ messages }: { messages: readonly SandboxAgentMessage[] }): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return false;
  const tools = last.parts.filter(isToolUIPart);
  const isAsked = tools.some(
    (part) => part.state === "approval-requested" || (isQuestion(part) && part.state === "input-available"),
  );
  const hasAnswer = tools.some(
    (part) => part.state === "approval-responded" || (part.state === "output-available" && isUnsent(part)),
  );
  return hasAnswer && !isAsked;
}

type ToolPart = Extract<SandboxAgentMessage["parts"][number], { toolCallId: string }>;

function isQuestion(part: ToolPart): boolean {
  return part.type === "dynamic-tool" && [QUESTION_TOOL, PLAN_APPROVAL_TOOL].includes(part.toolName);
}

/** The daemon adds the outcome to an answer that has arrived. */
function isUnsent(part: ToolPart): boolean {
  const { output } = part as { output?: QuestionOutput };
  return isQuestion(part) && output?.outcome === undefined;
}

/** Returns the parts of a message as the daemon takes them. */
function inputOf(message: SandboxAgentMessage): string | InputPart[] {
  const parts: InputPart[] = [];
  for (const part of message.parts) {
    if (part.type === "text") parts.push({ type: "text", text: part.text });
    else if (part.type === "file") parts.push(attachment(part.url, part.mediaType, part.filename));
  }
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" ? only.text : parts;
}

function attachment(url: string, mimeType: string, name: string | undefined): InputPart {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  const source =
    data === undefined ? ({ type: "uri", uri: url } as const) : ({ type: "base64", data } as const);
  if (mimeType.startsWith("image/")) return { type: "image", mimeType, source };
  return { type: "file", mimeType, source, ...(name === undefined ? {} : { name }) };
}
