// Every transport, to the demo agent of a daemon.

import { randomUUID } from "node:crypto";
import type { Daemon } from "@sandbox-agent/testkit";
import {
  httpTransport,
  standardHttpTransport,
  standardWebSocketTransport,
  type Transport,
  webSocketTransport,
} from "acp-http-client";
import { WebSocket } from "ws";

type Address = Pick<Daemon, "baseUrl" | "headers">;

/** Settings of faults: short waits. */
export interface Timing {
  idleMs?: number;
  statusMs?: number;
  reconnect?: { initialMs?: number; maxMs?: number; attempts?: number };
}

export const EVENT_PROTOCOL = "sandbox-agent.events.v1";

type Make = (daemon: Address, timing?: Timing) => Transport;

function server(baseUrl: string): string {
  return `${baseUrl}/v1/acp/${randomUUID()}`;
}

/** A server of its own, over HTTP. */
export const demoServer: Make = ({ baseUrl, headers }, timing) =>
  httpTransport({ url: server(baseUrl), headers, start: { agent: "demo" }, ...timing });

/** Transports that continue after a broken connection. */
export const RESUMABLE: Record<string, Make> = {
  http: demoServer,
  "web socket with events": ({ baseUrl, headers }, timing) =>
    webSocketTransport({
      url: server(baseUrl),
      headers,
      start: { agent: "demo" },
      eventProtocol: EVENT_PROTOCOL,
      WebSocket,
      ...timing,
    }),
  "standard http": ({ baseUrl, headers }, timing) =>
    standardHttpTransport({ url: `${baseUrl}/acp?agent=demo`, headers, ...timing }),
};

export const TRANSPORTS: Record<string, Make> = {
  ...RESUMABLE,
  "web socket": ({ baseUrl, headers }, timing) =>
    webSocketTransport({ url: server(baseUrl), headers, start: { agent: "demo" }, WebSocket, ...timing }),
  "standard web socket": ({ baseUrl, headers }, timing) =>
    standardWebSocketTransport({ url: `${baseUrl}/acp?agent=demo`, headers, WebSocket, ...timing }),
};
