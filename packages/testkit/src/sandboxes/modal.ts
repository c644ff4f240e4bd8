// Plays Modal: its control plane and the router of commands in its sandboxes (both gRPC), and its tunnels.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  status,
} from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { FakeMachine } from "./machine.ts";
import { FakeProvider, forward } from "./provider.ts";

/** The fields that are used here, of messages whose full definitions are only in the SDK's bundle. */
const PROTO = `
  syntax = "proto3";
  message Empty {}
  message Result { int32 status = 1; }
  message Access { string jwt = 1; string url = 2; }
  message Tunnel { string host = 1; uint32 port = 2; uint32 containerPort = 5; }
  message AppGetOrCreateResponse { string appId = 1; }
  message AuthTokenGetResponse { string token = 1; }
  message ImageGetOrCreateResponse { string imageId = 1; Result result = 2; }
  message SandboxCreateResponse { string sandboxId = 1; }
  message SandboxCreateV2Response { string sandboxId = 1; string taskId = 3; Access commandRouterAccess = 5; }
  message SandboxRequest { string sandboxId = 1; }
  message SandboxGetTaskIdResponse { string taskId = 1; }
  message SandboxGetTunnelsResponse { Result result = 1; repeated Tunnel tunnels = 2; }
  message TokenResponse { string url = 1; string token = 2; }
  message StringMap { map<string, string> contents = 1; }
  message SecretSource { string secretId = 1; StringMap env = 2; }
  message ExecStart {
    string taskId = 1; string execId = 2; repeated string commandArgs = 3;
    map<string, string> env = 12; repeated SecretSource secretSources = 13;
  }
  message ExecRequest { string taskId = 1; string execId = 2; uint32 offset = 3; }
  message StdioRequest { string taskId = 1; string execId = 2; uint32 offset = 3; int32 fileDescriptor = 4; }
  message StdioResponse { bytes data = 1; }
  message StdinRequest { string taskId = 1; string execId = 2; uint32 offset = 3; bytes data = 4; bool eof = 5; }
  message WaitResponse { int32 code = 1; }
`;
const { root } = protobuf.parse(PROTO, { keepCase: true });

export const MODAL_DOMAIN = "modal.test";

type Value = Record<string, unknown>;

interface ExecStart {
  taskId: string;
  execId: string;
  commandArgs: string[];
  env?: Record<string, string>;
  secretSources?: { env?: { contents?: Record<string, string> } }[];
}

/** A process in a sandbox. It is read while it runs and after it has ended. */
interface Execution {
  child: ChildProcess;
  output: Record<1 | 2, Buffer[]>;
  ended: Promise<number>;
}

export class FakeModal extends FakeProvider {
  /** Token of the authenticating proxy. */
  readonly connectToken = "connect-secret";
  /** Ports that requests with a connect token go to. */
  connectPort = 0;
  readonly #grpc = new Server();
  readonly #executions = new Map<string, Execution>();
  #grpcPort = 0;

  /** Variables for the SDK. */
  get env(): Record<string, string> {
    const credentials = { MODAL_TOKEN_ID: "ak-test", MODAL_TOKEN_SECRET: "as-test" };
    return {
      ...credentials,
      MODAL_SERVER_URL: `http://127.0.0.1:${this.#grpcPort}`,
      MODAL_CONFIG_PATH: "/nowhere/modal.toml",
      MODAL_IMAGE_BUILDER_VERSION: "2025.06",
      MODAL_LOGLEVEL: "error",
    };
  }

  resolve = (host: string): string | undefined => (host.endsWith(MODAL_DOMAIN) ? this.url : undefined);

  override async listen(): Promise<this> {
    await super.listen();
    this.#controlPlane();
    this.#router();
    this.#grpcPort = await new Promise((resolve, reject) => {
      this.#grpc.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
    return this;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.#grpc.forceShutdown();
  }

  /** Tunnels, and the proxy that checks a connect token. */
  protected async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = String(message.headers["x-forwarded-host"]).split(".")[0] ?? "";
    if (name === "connect") {
      if (message.headers.authorization !== `Bearer ${this.connectToken}`) {
        response.writeHead(401).end("unauthorized");
      } else forward(message, response, this.connectPort, message.url ?? "/");
    } else forward(message, response, Number(name.split("-")[0]), message.url ?? "/");
  }

  #controlPlane(): void {
    const access = (): Value => ({ jwt: "a.e30.c", url: `https://127.0.0.1:${this.#grpcPort}` });
    this.#unary("AuthTokenGet", "Empty", "AuthTokenGetResponse", async () => ({ token: "a.e30.c" }));
    this.#unary("AppGetOrCreate", "Empty", "AppGetOrCreateResponse", async () => ({ appId: "ap-1" }));
    this.#unary("ImageGetOrCreate", "Empty", "ImageGetOrCreateResponse", async () => {
      return { imageId: "im-1", result: { status: 1 } };
    });
    const create = async (): Promise<Value> => {
      await this.before("create");
      const machine = this.add(new FakeMachine(`sb-${this.nextId()}`, "/opt/sandbox-agent"));
      return { sandboxId: machine.id, taskId: `ta-${machine.id}`, commandRouterAccess: access() };
    };
    this.#unary("SandboxCreate", "Empty", "SandboxCreateResponse", create);
    this.#unary("SandboxCreateV2", "Empty", "SandboxCreateV2Response", create);
    for (const version of ["", "V2"]) {
      const task = async ({ sandboxId }: Value): Promise<Value> => ({ taskId: `ta-${sandboxId}` });
      this.#unary(`SandboxGetTaskId${version}`, "SandboxRequest", "SandboxGetTaskIdResponse", task);
      this.#unary(
        `SandboxGetTunnels${version}`,
        "SandboxRequest",
        "SandboxGetTunnelsResponse",
        this.#tunnels,
      );
      this.#unary(`SandboxTerminate${version}`, "SandboxRequest", "Empty", async ({ sandboxId }) => {
        await this.remove(String(sandboxId));
        return {};
      });
      this.#unary(`SandboxCreateConnectToken${version}`, "SandboxRequest", "TokenResponse", async () => {
        return { url: `https://connect.${MODAL_DOMAIN}`, token: this.connectToken };
      });
    }
    this.#unary("TaskGetCommandRouterAccess", "Empty", "Access", async () => access());
    this.#unary("SandboxGetCommandRouterAccess", "Empty", "Access", async () => access());
  }

  /** Every port below 65,536 would do; the fake offers those that a test asks for. */
  readonly ports = new Set<number>();

  readonly #tunnels = async ({ sandboxId }: Value): Promise<Value> => ({
    result: { status: 1 },
    tunnels: [...this.ports].map((port) => {
      return { host: `${port}-${sandboxId}.${MODAL_DOMAIN}`, port: 443, containerPort: port };
    }),
  });

  #router(): void {
    const service = "modal.task_command_router.TaskCommandRouter";
    this.#unary(
      "TaskExecStart",
      "ExecStart",
      "Empty",
      (start) => this.#start(start as unknown as ExecStart),
      service,
    );
    const wait = async ({ execId }: Value): Promise<Value> => ({ code: await this.#find(execId).ended });
    this.#unary("TaskExecWait", "ExecRequest", "WaitResponse", wait, service);
    const write = async ({ execId, data, eof }: Value): Promise<Value> => {
      const { stdin } = this.#find(execId).child;
      if (data instanceof Uint8Array) stdin?.write(data);
      if (eof === true) stdin?.end();
      return {};
    };
    this.#unary("TaskExecStdinWrite", "StdinRequest", "Empty", write, service);
    const read: handleServerStreamingCall<Value, Value> = (call) => {
      const { execId, fileDescriptor } = call.request;
      const { output, ended } = this.#find(execId);
      void ended.then(() => {
        for (const data of output[fileDescriptor === 2 ? 2 : 1]) call.write({ data });
        call.end();
      });
    };
    const request = root.lookupType("StdioRequest");
    const response = root.lookupType("StdioResponse");
    this.#grpc.register(
      `/${service}/TaskExecStdioRead`,
      read,
      (value: Value) => Buffer.from(response.encode(value).finish()),
      (data) => request.toObject(request.decode(data)),
      "serverStream",
    );
  }

  async #start({ taskId, execId, commandArgs, env, secretSources = [] }: ExecStart): Promise<Value> {
    const machine = this.machines.get(taskId.slice("ta-".length));
    if (machine === undefined) throw new Error(`no task ${taskId}`);
    const command = commandArgs.join(" ");
    if (command.includes("cat >")) await this.before("upload");
    await this.beforeCommand(command);
    const variables = Object.assign({}, env, ...secretSources.map((source) => source.env?.contents));
    const child = machine.start(commandArgs, variables);
    const output: Execution["output"] = { 1: [], 2: [] };
    child.stdout?.on("data", (data: Buffer) => output[1].push(data));
    child.stderr?.on("data", (data: Buffer) => output[2].push(data));
    const ended = once(child, "close").then(
      ([code]) => (code as number | null) ?? 137,
      () => 127,
    );
    this.#executions.set(execId, { child, output, ended });
    return {};
  }

  #find(execId: unknown): Execution {
    const execution = this.#executions.get(String(execId));
    if (execution === undefined) throw new Error(`no execution ${execId}`);
    return execution;
  }

  #unary(
    name: string,
    requestType: string,
    responseType: string,
    answer: (request: Value) => Promise<Value>,
    service = "modal.client.ModalClient",
  ): void {
    const request = root.lookupType(requestType);
    const response = root.lookupType(responseType);
    const handler: handleUnaryCall<Value, Value> = (call, callback) => {
      answer(call.request).then(
        (value) => callback(null, value),
        // Not a status that the SDK retries.
        (error: Error) => callback({ code: status.INVALID_ARGUMENT, details: error.message }),
      );
    };
    this.#grpc.register(
      `/${service}/${name}`,
      handler,
      (value: Value) => Buffer.from(response.encode(value).finish()),
      (data) => request.toObject(request.decode(data)),
      "unary",
    );
  }
}
