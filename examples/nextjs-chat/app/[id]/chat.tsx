"use client";

import { useChat } from "@ai-sdk/react";
import { isAnswered, type SandboxAgentMessage, ServerChatTransport } from "@sandbox-agent/ai-sdk";
import { type ReactNode, useState } from "react";

type Part = SandboxAgentMessage["parts"][number];

export function Chat({ id, messages: initial }: { id: string; messages: SandboxAgentMessage[] }): ReactNode {
  const [transport] = useState(() => new ServerChatTransport({ messages: initial }));
  const options = { id, messages: initial, transport, resume: true, sendAutomaticallyWhen: isAnswered };
  const { messages, sendMessage, addToolApprovalResponse, status } = useChat<SandboxAgentMessage>(options);
  const [text, setText] = useState("");

  const part = (one: Part): ReactNode => {
    if (one.type === "text") return one.text;
    if (one.type !== "dynamic-tool") return null;
    if (one.state !== "approval-requested") return `[${one.title ?? one.toolName}: ${one.state}]`;
    const decide = (approved: boolean) => () => addToolApprovalResponse({ id: one.approval.id, approved });
    return (
      <>
        {one.title}?{" "}
        <button type="button" onClick={decide(true)}>
          Allow
        </button>
        <button type="button" onClick={decide(false)}>
          Reject
        </button>
      </>
    );
  };
  return (
    <main>
      {messages.map((message) => (
        <div key={message.id} data-role={message.role}>
          {message.parts.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever appended.
            <p key={index}>{part(one)}</p>
          ))}
        </div>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text });
          setText("");
        }}
      >
        <textarea aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit">Send</button>
        {status === "streaming" ? (
          <button
            type="button"
            onClick={() => fetch("/api/chat", { method: "DELETE", body: JSON.stringify({ id }) })}
          >
            Stop
          </button>
        ) : null}
      </form>
    </main>
  );
}
