// A session as a Markdown file: what was said and done, without raw data.

import type { DiffContent, MessagePart, Session, TranscriptMessage } from "sandbox-agent";
import { diffLines, hunksOf } from "./diff.ts";
import { exactTime } from "./format.ts";
import { sessionTitle } from "./session-list.ts";
import { commandOf } from "./tool-view.ts";

/** Reads the whole transcript and writes it as Markdown. */
export async function markdownOf(session: Session): Promise<string> {
  const { info } = session;
  const facts = [
    `Agent: ${info.agent}`,
    `Directory: \`${info.cwd}\``,
    `Started: ${exactTime(info.createdAt)}`,
  ];
  const parts = [`# ${sessionTitle(info)}`, facts.map((fact) => `- ${fact}`).join("\n")];
  for await (const message of allMessages(session)) {
    const text = messageText(message);
    if (text !== "") parts.push(text);
  }
  return `${parts.join("\n\n")}\n`;
}

async function* allMessages(session: Session): AsyncIterableIterator<TranscriptMessage> {
  let after: number | undefined;
  do {
    const page = await session.messages(after === undefined ? {} : { after });
    yield* page.messages;
    after = page.hasMore ? page.next : undefined;
  } while (after !== undefined);
}

function messageText(message: TranscriptMessage): string {
  if (message.state === "withdrawn" || message.state === "queued") return "";
  const parts = message.parts.map(partText).filter((text) => text !== "");
  if (parts.length === 0) return "";
  const body = parts.join("\n\n");
  return message.role === "user" ? `## You\n\n${body}` : body;
}

function partText(part: MessagePart): string {
  switch (part.type) {
    case "text":
      return part.text.trim();
    case "toolCall": {
      const command = commandOf(part.input);
      return `**${part.title}**${command === undefined ? "" : `\n\n${fenced(command, "sh")}`}`;
    }
    case "toolResult":
      return part.content
        .map((content) => {
          if (content.type === "diff") return `\`${content.path}\`\n\n${fenced(diffText(content), "diff")}`;
          return content.type === "text" ? fenced(content.text, "") : "";
        })
        .filter((text) => text !== "")
        .join("\n\n");
    case "file":
      return `Attachment: \`${part.path ?? part.name ?? "file"}\``;
    case "error":
      return `> ${part.message}`;
    default:
      return "";
  }
}

const SIGNS = { add: "+", remove: "-", same: " " } as const;

function diffText(diff: DiffContent): string {
  const hunks = hunksOf(diffLines(diff.oldText ?? "", diff.newText)).filter(({ type }) => type === "lines");
  return hunks
    .map(({ lines }) => lines.map(({ change, text }) => SIGNS[change] + text).join("\n"))
    .join("\n…\n");
}

/** Uses a fence that is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n+$/, "")}\n${fence}`;
}
