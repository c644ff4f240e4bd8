// Loaded into Pi by sandbox-agent: asks before every tool call. Pi blocks a call whose handler fails.
export default function (pi) {
  pi.on("session_start", (_event, ctx) => ctx.ui.setStatus("sandbox-agent", "ready"));
  pi.on("tool_call", async (event, ctx) => {
    const call = JSON.stringify({ id: event.toolCallId, tool: event.toolName, input: event.input });
    const verdict = await ctx.ui.input("sandbox-agent/permission", call);
    if (verdict !== "allow") return { block: true, reason: verdict ?? "The user cancelled the turn." };
  });
}
