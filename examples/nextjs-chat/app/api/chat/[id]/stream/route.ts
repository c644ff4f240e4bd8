import { runningTurn, toUIMessageStreamResponse } from "@sandbox-agent/ai-sdk";
import { client } from "../../../../../lib/client.ts";

/** Continues a stream after a reload. */
export async function GET(_: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const session = await client.sessions.get((await params).id);
  const turn = await runningTurn(session);
  return turn === undefined ? new Response(null, { status: 204 }) : toUIMessageStreamResponse(turn);
}
