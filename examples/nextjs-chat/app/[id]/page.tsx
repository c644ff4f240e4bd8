import { loadMessages, openSession } from "@sandbox-agent/ai-sdk";
import type { ReactNode } from "react";
import { client, settings } from "../../lib/client.ts";
import { Chat } from "./chat.tsx";

export default async function Page({ params }: { params: Promise<{ id: string }> }): Promise<ReactNode> {
  const { id } = await params;
  const session = await openSession(client, id, settings);
  return <Chat id={id} messages={await loadMessages(session)} />;
}
