// A fake provider: a server on loopback that plays its API, and the sandboxes it has.

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FakeMachine } from "./machine.ts";

/** Parts of a start that a test can interfere with. */
export type FakeStep = "create" | "upload" | "install" | "start" | "destroy";

export abstract class FakeProvider implements AsyncDisposable {
  readonly machines = new Map<string, FakeMachine>();
  /** Called before a step. An exception becomes the answer. */
  before: (step: FakeStep) => void | Promise<void> = () => {};
  /** Requests that the fake does not know; a test expects none. */
  readonly unknown: string[] = [];
  readonly server: Server;
  #count = 0;

  constructor() {
    this.server = createServer((message, response) => {
      this.#answer(message, response).catch((error: unknown) => {
        if (!response.headersSent)
          this.refuse(response, error instanceof Error ? error.message : String(error));
        else response.destroy();
      });
    });
  }

  async listen(): Promise<this> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.machines.values()].map((machine) => machine.destroy()));
    this.server.closeAllConnections();
    this.server.close();
  }

  protected nextId(): string {
    this.#count += 1;
    return `sandbox${this.#count}${Math.random().toString(36).slice(2, 8)}`;
  }

  protected add<T extends FakeMachine>(machine: T): T {
    this.machines.set(machine.id, machine);
    return machine;
  }

  protected async remove(id: string): Promise<boolean> {
    await this.before("destroy");
    const machine = this.machines.get(id);
    await machine?.destroy();
    return this.machines.delete(id);
  }

  /** Distinguishes the start of the daemon from the commands before it. */
  protected async beforeCommand(command: string): Promise<void> {
    if (command.includes("daemon.log 2>&1")) await this.before("start");
    else if (command.includes("set -e")) await this.before("install");
  }

  protected abstract handle(message: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;

  /** Answers with an error in the provider's form. Not with a status that SDKs retry. */
  protected refuse(response: ServerResponse, message: string): void {
    json(response, 400, { message, error: { code: "bad_request", message } });
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(message.url ?? "/", this.url);
    await this.handle(message, response, url);
  }

  protected notFound(message: IncomingMessage, response: ServerResponse): void {
    const text = `${message.method} ${message.url}`;
    this.unknown.push(text);
    json(response, 404, { message: `not found: ${text}`, error: { code: "not_found", message: text } });
  }
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

export async function bytes(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

export async function body<T>(message: IncomingMessage): Promise<T> {
  const text = (await bytes(message)).toString();
  return (text === "" ? {} : JSON.parse(text)) as T;
}

/** Forwards a request to a port of loopback, as a provider's gateway does. */
export function forward(
  message: IncomingMessage,
  response: ServerResponse,
  port: number,
  path: string,
): void {
  const headers = { ...message.headers, host: `127.0.0.1:${port}` };
  const target = request({ host: "127.0.0.1", port, path, method: message.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  target.on("error", () => {
    if (!response.headersSent) response.writeHead(502);
    response.end("bad gateway");
  });
  response.on("close", () => target.destroy());
  message.pipe(target);
}

/** Returns the files of an upload, which may be a form or nothing but the content. */
export async function uploaded(
  message: IncomingMessage,
): Promise<{ file: Buffer; fields: Map<string, string> }> {
  const type = message.headers["content-type"] ?? "";
  const content = await bytes(message);
  if (!type.startsWith("multipart/")) return { file: content, fields: new Map() };
  const form = await new Response(new Uint8Array(content), { headers: { "Content-Type": type } }).formData();
  const fields = new Map<string, string>();
  let file = Buffer.alloc(0);
  for (const [name, value] of form) {
    if (typeof value === "string") fields.set(name, value);
    else file = Buffer.from(await value.arrayBuffer());
  }
  return { file, fields };
}
