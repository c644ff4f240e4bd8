// The official TypeScript client of ACP, over either remote transport.

import { client } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket } from "ws";
import { Notebook } from "./speech.js";
import { within } from "./wait.js";

/** The remote transports, by name: what opens a stream to a path of the daemon. */
export const TRANSPORTS = {
  http: (daemon, path, headers = daemon.headers) => createHttpStream(daemon.url + path, { headers }),
  websocket: (daemon, path, headers = daemon.headers) =>
    createWebSocketStream(daemon.socketUrl + path, { headers, WebSocket }),
};

const CAPABILITIES = { elicitation: { form: {} } };

/** A client that has not said anything yet. */
export class Stock {
  notebook = new Notebook();
  /** Titles of the permissions that were asked for. */
  permissions = [];
  /** Texts of the questions that were asked. */
  questions = [];
  /** Gives the answer to a permission request. */
  decide = () => ({ outcome: "cancelled" });
  /** Gives the answer to a question. */
  reply = () => ({ action: "cancel" });

  constructor(stream) {
    const app = client({ name: "interop" })
      .onNotification("session/update", ({ params }) => this.notebook.note(params))
      .onRequest("session/request_permission", ({ params }) => {
        this.permissions.push(params.toolCall.title);
        return { outcome: this.decide(params) };
      })
      .onRequest("elicitation/create", ({ params }) => {
        this.questions.push(params.message);
        return this.reply(params);
      });
    this.connection = app.connect(stream);
    this.agent = this.connection.agent;
  }

  /** Any request, with an end to the waiting. */
  request(method, params) {
    return within(method, this.agent.request(method, params));
  }

  initialize() {
    return this.request("initialize", { protocolVersion: 1, clientCapabilities: CAPABILITIES });
  }

  async newSession(cwd) {
    return (await this.request("session/new", { cwd, mcpServers: [] })).sessionId;
  }

  /** Prompts; the reason why the turn ended. */
  async prompt(sessionId, words) {
    const prompt = [{ type: "text", text: words }];
    return (await this.request("session/prompt", { sessionId, prompt })).stopReason;
  }

  said(sessionId) {
    return this.notebook.said(sessionId);
  }

  async close() {
    this.connection.close();
    await within("the connection to close", this.connection.closed);
  }
}
