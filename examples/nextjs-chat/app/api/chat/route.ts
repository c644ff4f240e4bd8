import { openSession, submitMessages, toUIMessageStreamResponse } from "@sandbox-agent/ai-sdk";
import { client, settings } from "../../../lib/client.ts";

export async function POST(request: Request): Promise<Response> {
  const { id, messages } = await request.json();
  const session = await openSession(client, id, settings);
  return toUIMessageStreamResponse(await submitMessages(session, messages));
}

/** Stops the turn. Closing the page does not. */
export async function DELETE(request: Request): Promise<Response> {
  const { id } = await request.json();
  const session = await client.sessions.get(id);
  return Response.json(await session.cancel());
}
