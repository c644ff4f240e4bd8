// A client of the demo agent, on any transport: through our peer or through the official SDK.

import { client } from "@agentclientprotocol/sdk";
import {
  AcpPeer,
  type AcpStream,
  type CloseReason,
  openStream,
  type Transport,
  type TransportEvent,
} from "acp-http-client";

export interface Update {
  sessionId: string;
  update: { sessionUpdate: string; content?: { type: string; text?: string } };
}

interface Permission {
  toolCall: { title?: string | null };
  options: { optionId: string; kind: string }[];
}

/** A client as the tests need it, so that each test runs through the peer and through the SDK. */
export interface DemoClient {
  readonly updates: Update[];
  readonly events: TransportEvent[];
  /** Kind of the option that is chosen when the agent asks; nothing is answered if undefined. */
  choice: string | undefined;
  readonly asked: string[];
  /** Called when the agent asks, before the answer. */
  onAsked: () => void;
  readonly closed: Promise<CloseReason>;
  request<T = Record<string, unknown>>(method: string, params: unknown): Promise<T>;
  notify(method: string, params: unknown): Promise<void>;
  close(): Promise<void>;
}

type Open = (transport: Transport, options?: { unconfirmedMs?: number }) => DemoClient;

abstract class Base {
  readonly updates: Update[] = [];
  readonly events: TransportEvent[] = [];
  readonly asked: string[] = [];
  choice: string | undefined = "allow_once";
  onAsked: () => void = () => undefined;

  readonly onEvent = (event: TransportEvent): void => {
    this.events.push(event);
  };

  decide(params: Permission, signal: AbortSignal): Promise<{ outcome: object }> | { outcome: object } {
    this.asked.push(params.toolCall.title ?? "");
    this.onAsked();
    const option = params.options.find(({ kind }) => kind === this.choice);
    if (option !== undefined) return { outcome: { outcome: "selected", optionId: option.optionId } };
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } })),
    );
  }
}

class PeerClient extends Base implements DemoClient {
  readonly peer: AcpPeer;

  constructor(transport: Transport, options: { unconfirmedMs?: number } = {}) {
    super();
    this.peer = new AcpPeer(transport, {
      ...options,
      onEvent: this.onEvent,
      onNotification: (method, params) => {
        if (method === "session/update") this.updates.push(params as Update);
      },
      onRequest: (_method, params, { signal }) => this.decide(params as Permission, signal),
    });
  }

  get closed(): Promise<CloseReason> {
    return this.peer.closed;
  }

  request<T>(method: string, params: unknown): Promise<T> {
    return this.peer.request<T>(method, params);
  }

  notify(method: string, params: unknown): Promise<void> {
    return this.peer.notify(method, params);
  }

  close(): Promise<void> {
    return this.peer.close();
  }
}

class SdkClient extends Base implements DemoClient {
  readonly stream: AcpStream;
  readonly connection: ReturnType<ReturnType<typeof client>["connect"]>;

  constructor(transport: Transport, options: { unconfirmedMs?: number } = {}) {
    super();
    this.stream = openStream(transport, { ...options, onEvent: this.onEvent });
    this.connection = client({ name: "test" })
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params as Update);
      })
      .onRequest(
        "session/request_permission",
        ({ params, signal }) => this.decide(params, signal) as Promise<{ outcome: { outcome: "cancelled" } }>,
      )
      .connect(this.stream);
  }

  get closed(): Promise<CloseReason> {
    return this.stream.closed;
  }

  async request<T>(method: string, params: unknown): Promise<T> {
    return (await this.connection.agent.request(method, params as never)) as T;
  }

  async notify(method: string, params: unknown): Promise<void> {
    await this.connection.agent.notify(method, params as never);
  }

  async close(): Promise<void> {
    this.connection.close();
    await this.stream.closed;
  }
}

/** Connects with our peer. */
export const openPeer: Open = (transport, options) => new PeerClient(transport, options);

export const CLIENTS: Record<string, Open> = {
  peer: openPeer,
  "official SDK": (transport, options) => new SdkClient(transport, options),
};

export async function initialize(demo: DemoClient): Promise<{ protocolVersion: number }> {
  return demo.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
}

export async function newSession(demo: DemoClient, cwd = "/"): Promise<string> {
  const { sessionId } = await demo.request<{ sessionId: string }>("session/new", { cwd, mcpServers: [] });
  return sessionId;
}

/** Initializes and creates a session. */
export async function start(demo: DemoClient): Promise<string> {
  await initialize(demo);
  return newSession(demo);
}

/** Prompts and returns why the turn ended. */
export async function prompt(demo: DemoClient, sessionId: string, text: string): Promise<string> {
  const { stopReason } = await demo.request<{ stopReason: string }>("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text }],
  });
  return stopReason;
}

/** Text that the agent has said in a session. */
export function said(demo: DemoClient, sessionId: string): string {
  return demo.updates
    .filter(
      (update) => update.sessionId === sessionId && update.update.sessionUpdate === "agent_message_chunk",
    )
    .map(({ update }) => update.content?.text ?? "")
    .join("");
}

/** Returns the text of `stream N`. */
export function counted(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index + 1} `).join("");
}

/** Waits until a condition holds. The test's timeout is its end. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
