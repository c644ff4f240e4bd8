// An MCP server with one tool, which greets. JavaScript, as agents start it with a bare Node.

const TOOL = {
  name: "greet",
  description: "Greets somebody",
  inputSchema: { type: "object", properties: { who: { type: "string" } } },
};

function resultOf({ method, params }, greeting) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "suite", version: "1" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: [TOOL] };
    case "tools/call":
      return { content: [{ type: "text", text: `${greeting}, ${params.arguments.who}` }] };
    default:
      return undefined;
  }
}

export function answer(message, greeting) {
  if (message.id === undefined) return undefined;
  const result = resultOf(message, greeting);
  const error = { code: -32601, message: `no method ${message.method}` };
  return { jsonrpc: "2.0", id: message.id, ...(result === undefined ? { error } : { result }) };
}
