// SANDBOX_AGENT_TOKEN=… npm start -- http://127.0.0.1:2468 my-session

import { example } from "./index.ts";

const [baseUrl = "http://127.0.0.1:2468", sessionId = "mine"] = process.argv.slice(2);
await example({
  baseUrl,
  token: process.env["SANDBOX_AGENT_TOKEN"] ?? "",
  sessionId,
  offsetFile: `${sessionId}.offset`,
  handle: (event) => console.log(event.id, event.type),
});
