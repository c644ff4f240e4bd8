import { runningTurn, TURN_HEADER, toUIMessageStreamResponse } from "@sandbox-agent/ai-sdk";
import { client } from "../../../../../lib/client.ts";

/** Continues a stream after a reload, or sends the answer that has ended since. */
export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  const session = await client.sessions.get((await params).id);
  const turn = await runningTurn(session, { turnId: request.headers.get(TURN_HEADER) });
  return turn === undefined ? new Response(null, { status: 204 }) : toUIMessageStreamResponse(turn);
}
