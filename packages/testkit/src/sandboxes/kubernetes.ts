// Plays the API server of Kubernetes: pods, secrets, logs and port forwarding.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type WebSocket, WebSocketServer } from "ws";
import { FakeContainer } from "./containers.ts";
import { body, FakeProvider, json } from "./provider.ts";

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
}

interface PodRequest {
  metadata: { name: string };
  spec: { containers: { command: string[]; env: Variable[] }[] };
}

interface SecretRequest {
  metadata: { name: string };
  stringData: Record<string, string>;
}

export class FakeKubernetes extends FakeProvider {
  readonly secrets = new Map<string, Record<string, string>>();
  readonly #folder = mkdtempSync(join(tmpdir(), "sa-kube-"));

  constructor() {
    super();
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "v4.channel.k8s.io" });
    this.server.on("upgrade", (message, socket, head) => {
      const port = Number(new URL(message.url ?? "/", this.url).searchParams.get("ports"));
      sockets.handleUpgrade(message, socket, head, (connection) => carry(connection, port));
    });
  }

  /** Variables for the client. */
  get env(): Record<string, string> {
    const path = join(this.#folder, "config");
    const named = (kind: string, value: object): object => ({ name: "fake", [kind]: value });
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "fake",
      clusters: [named("cluster", { server: this.url, "insecure-skip-tls-verify": true })],
      users: [named("user", { token: "cluster-token" })],
      contexts: [named("context", { cluster: "fake", user: "fake" })],
    };
    writeFileSync(path, JSON.stringify(config));
    return { KUBECONFIG: path };
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }

  protected async handle(message: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, , , , , kind, name = "", action] = url.pathname.split("/");
    if (message.method === "POST") return this.#create(kind, message, response);
    if (kind === "secrets") {
      const isKnown = this.secrets.delete(name);
      return json(response, isKnown ? 200 : 404, { kind: "Status" });
    }
    const pod = this.machines.get(name) as FakeContainer | undefined;
    if (pod === undefined) return json(response, 404, { kind: "Status", reason: "NotFound", code: 404 });
    if (message.method === "DELETE") {
      await this.remove(name);
      return json(response, 200, this.#describe(pod));
    }
    if (action === "log") response.writeHead(200, { "Content-Type": "text/plain" }).end(pod.output);
    else json(response, 200, this.#describe(pod));
  }

  async #create(kind: string | undefined, message: IncomingMessage, response: ServerResponse): Promise<void> {
    if (kind === "secrets") {
      const { metadata, stringData } = await body<SecretRequest>(message);
      this.secrets.set(metadata.name, stringData);
      return json(response, 201, { metadata });
    }
    await this.before("create");
    const { metadata, spec } = await body<PodRequest>(message);
    const { command = [], env = [] } = spec.containers[0] ?? {};
    const values = env.map(({ name, value = "", valueFrom }): [string, string] => {
      if (valueFrom === undefined) return [name, value];
      const { secretKeyRef: from } = valueFrom;
      return [name, this.secrets.get(from.name)?.[from.key] ?? ""];
    });
    const pod = this.add(new FakeContainer(metadata.name, command, Object.fromEntries(values)));
    pod.launch();
    json(response, 201, this.#describe(pod));
  }

  #describe(pod: FakeContainer): object {
    const { exitCode, isRunning } = pod;
    const state = isRunning ? { running: {} } : { terminated: { exitCode, reason: "Error" } };
    return {
      metadata: { name: pod.id },
      status: {
        phase: isRunning ? "Running" : "Failed",
        podIP: "127.0.0.1",
        containerStatuses: [{ name: "sandbox-agent", state }],
      },
    };
  }

  protected override refuse(response: ServerResponse, message: string): void {
    json(response, 422, { kind: "Status", message, code: 422 });
  }
}

/** Carries one connection. The first two bytes of a channel are the port; channel 0 is data, channel 1 errors. */
function carry(connection: WebSocket, port: number): void {
  const target = connect(port, "127.0.0.1");
  const head = Buffer.alloc(2);
  head.writeUInt16LE(port, 0);
  for (const channel of [0, 1]) connection.send(Buffer.concat([Buffer.from([channel]), head]));
  target.on("data", (data) => connection.send(Buffer.concat([Buffer.from([0]), data])));
  target.on("error", () => connection.close());
  target.on("close", () => connection.close());
  connection.on("message", (data: Buffer) => target.write(data.subarray(1)));
  connection.on("close", () => target.destroy());
}
