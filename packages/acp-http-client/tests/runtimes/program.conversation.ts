// A turn on every transport, with the runtime's own `fetch` and `WebSocket`. Prints one line for each.

import {
  AcpPeer,
  httpTransport,
  standardHttpTransport,
  standardWebSocketTransport,
  webSocketTransport,
} from "../../src/index.ts";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const start = { agent: "demo" };

function server(): string {
  return `${baseUrl}/v1/acp/${crypto.randomUUID()}`;
}

const TRANSPORTS = {
  http: httpTransport({ url: server(), headers, start }),
  "web socket": webSocketTransport({
    url: server(),
    headers,
    start,
    eventProtocol: "sandbox-agent.events.v1",
  }),
  "standard http": standardHttpTransport({ url: `${baseUrl}/acp?agent=demo`, headers }),
  "standard web socket": standardWebSocketTransport({ url: `${baseUrl}/acp?agent=demo`, headers }),
};

for (const [name, transport] of Object.entries(TRANSPORTS)) {
  let updates = 0;
  const peer = new AcpPeer(transport, {
    onNotification: (_method, params) => {
      if (JSON.stringify(params).includes("agent_message_chunk")) updates += 1;
    },
  });
  await peer.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await peer.request<{ sessionId: string }>("session/new", {
    cwd: "/",
    mcpServers: [],
  });
  const prompt = [{ type: "text", text: "stream 50" }];
  const { stopReason } = await peer.request<{ stopReason: string }>("session/prompt", { sessionId, prompt });
  await peer.close();
  process.stdout.write(`${name}: ${stopReason} ${updates}\n`);
}
