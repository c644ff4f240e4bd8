// `sandbox-agent/kubernetes`: the daemon as the main process of a pod.
/// <reference types="node" />

import type { CoreV1Api, KubeConfig, V1Container, V1Pod, V1PodSpec } from "@kubernetes/client-node";
import {
  awaitContainer,
  ContainerEndedError,
  containerCommand,
  containerHealth,
  DEFAULT_IMAGE,
} from "./container.ts";
import { type DaemonOptions, DEFAULT_PORT, LOG_BYTES, type Program } from "./daemon.ts";
import { Launch } from "./launch.ts";
import { load } from "./load.ts";
import { PortForwarder } from "./port-forwarder.ts";
import type { PreviewUrl, Sandbox, SandboxEndpoint, SandboxProvider } from "./provider.ts";

export interface KubernetesOptions extends DaemonOptions {
  /** Namespace of the pod, `default` by default. */
  namespace?: string | undefined;
  /** Image of the container, `node:24-bookworm-slim` by default. */
  image?: string | undefined;
  /** Where the container gets the program from. Use an image that has it where you can. */
  program?: Exclude<Program, { file: string }> | undefined;
  /**
   * How the daemon is reached: through the API server with `port-forward` (default), which works from anywhere, or at
   * the `pod-ip`, which works in the cluster.
   */
  gateway?: "port-forward" | "pod-ip" | undefined;
  /** Configuration of the client. By default `KUBECONFIG`, `~/.kube/config` or the service account of this pod. */
  config?: KubeConfig | undefined;
  /** Additional fields of the pod, such as `serviceAccountName`, `volumes` or `runtimeClassName`. */
  pod?: Partial<V1PodSpec> | undefined;
  /** Additional fields of the container, such as `resources` or `volumeMounts`. */
  container?: Partial<V1Container> | undefined;
}

const CONTAINER = "sandbox-agent";

type Sdk = typeof import("@kubernetes/client-node");

/** A cluster that can be talked to. */
interface Cluster {
  sdk: Sdk;
  config: KubeConfig;
  core: CoreV1Api;
  namespace: string;
}

/**
 * Runs the daemon in a Kubernetes pod. Needs the package `@kubernetes/client-node`.
 *
 * @example
 * const client = await SandboxAgent.start({ sandbox: kubernetes({ image: "my-image", namespace: "agents" }) });
 */
export function kubernetes(options: KubernetesOptions = {}): SandboxProvider {
  const open = async (): Promise<Cluster> => {
    const sdk = await load(
      "kubernetes",
      "@kubernetes/client-node@^2.0.1",
      () => import("@kubernetes/client-node"),
    );
    const config = options.config ?? new sdk.KubeConfig();
    if (options.config === undefined) config.loadFromDefault();
    return {
      sdk,
      config,
      core: config.makeApiClient(sdk.CoreV1Api),
      namespace: options.namespace ?? "default",
    };
  };
  const launching = (signal: AbortSignal | undefined): Launch =>
    new Launch({ provider: "kubernetes", signal, timeoutMs: options.startTimeoutMs });
  return {
    name: "kubernetes",
    create: async ({ token, signal }) => {
      const launch = launching(signal);
      return launch.run(async () => {
        const cluster = await launch.step("load", open);
        const name = `sandbox-agent-${crypto.randomUUID().slice(0, 13)}`;
        const pod = await launch.create(async () => {
          const made = new KubernetesSandbox(name, cluster, options);
          await made.create(token);
          return made;
        });
        await awaitContainer(launch, pod);
        return pod;
      });
    },
    reconnect: async (id, { signal }) => {
      const launch = launching(signal);
      return launch.run(async () => {
        const cluster = await launch.step("load", open);
        const pod = new KubernetesSandbox(id, cluster, options);
        await launch.step("resume", (limit) => pod.healthy(limit));
        return pod;
      });
    },
  };
}

class KubernetesSandbox implements Sandbox {
  readonly provider = "kubernetes";
  readonly id: string;
  readonly #cluster: Cluster;
  readonly #options: KubernetesOptions;
  readonly #forwarder: PortForwarder;

  constructor(id: string, cluster: Cluster, options: KubernetesOptions) {
    this.id = id;
    this.#cluster = cluster;
    this.#options = options;
    const forward = new cluster.sdk.PortForward(cluster.config, true);
    this.#forwarder = new PortForwarder(async (port, socket) => {
      const carrier = await forward.portForward(cluster.namespace, id, [port], socket, null, socket);
      // A function only if it is asked to reconnect.
      if (typeof carrier === "function") return;
      carrier.addEventListener("close", () => socket.destroy());
      socket.once("close", () => carrier.close());
    });
  }

  /** Creates the pod and the secret with its token. The description of a pod is readable for many. */
  async create(token: string): Promise<void> {
    const { core, namespace } = this.#cluster;
    const metadata = { name: this.id, labels: { "app.kubernetes.io/name": CONTAINER } };
    await core.createNamespacedSecret({ namespace, body: { metadata, stringData: { token } } });
    try {
      await core.createNamespacedPod({ namespace, body: { metadata, spec: this.#spec() } });
    } catch (error) {
      await this.destroy().catch(() => {});
      throw error;
    }
  }

  #spec(): V1PodSpec {
    const { image = DEFAULT_IMAGE, env = {}, port = DEFAULT_PORT, container, pod } = this.#options;
    const own = Object.entries(env).map(([name, value]) => ({ name, value }));
    const secret = { name: this.id, key: "token" };
    const main: V1Container = {
      image,
      ports: [{ containerPort: port }],
      ...container,
      name: CONTAINER,
      command: containerCommand(this.#options),
      env: [
        ...(container?.env ?? []),
        ...own,
        { name: "SANDBOX_AGENT_TOKEN", valueFrom: { secretKeyRef: secret } },
      ],
    };
    return {
      restartPolicy: "Never",
      // Agents run whatever they like: they get no access to the cluster.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...pod,
      containers: [main, ...(pod?.containers ?? [])],
    };
  }

  async healthy(signal: AbortSignal): Promise<void> {
    await containerHealth(this.#options, signal, async () => {
      const pod = await this.#read();
      const ended = failureOf(pod);
      if (ended !== undefined) throw ended;
      return pod.status?.phase === "Running" ? this.endpoint() : undefined;
    });
  }

  async endpoint(): Promise<SandboxEndpoint> {
    return { baseUrl: (await this.previewUrl(this.#options.port ?? DEFAULT_PORT)).url };
  }

  async previewUrl(port: number): Promise<PreviewUrl> {
    if (this.#options.gateway !== "pod-ip") {
      return { url: `http://127.0.0.1:${await this.#forwarder.listen(port)}` };
    }
    const ip = (await this.#read()).status?.podIP;
    if (ip === undefined) throw new Error(`pod ${this.id} has no address yet`);
    return { url: `http://${ip.includes(":") ? `[${ip}]` : ip}:${port}` };
  }

  async destroy(): Promise<void> {
    const { core, namespace } = this.#cluster;
    const { id: name } = this;
    this.#forwarder.close();
    await this.#unlessMissing(core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 5 }));
    await this.#unlessMissing(core.deleteNamespacedSecret({ name, namespace }));
  }

  async logs(): Promise<string> {
    const { core, namespace } = this.#cluster;
    const query = { name: this.id, namespace, container: CONTAINER, tailLines: 1_000 };
    return ((await core.readNamespacedPodLog(query)) ?? "").slice(-LOG_BYTES);
  }

  async #read(): Promise<V1Pod> {
    const { core, namespace } = this.#cluster;
    return core.readNamespacedPod({ name: this.id, namespace });
  }

  async #unlessMissing(deletion: Promise<unknown>): Promise<void> {
    try {
      await deletion;
    } catch (error) {
      if (!(error instanceof this.#cluster.sdk.ApiException) || error.code !== 404) throw error;
    }
  }
}

/** Returns why a pod will not run, or nothing if it may. */
function failureOf(pod: V1Pod): ContainerEndedError | undefined {
  const state = pod.status?.containerStatuses?.find(({ name }) => name === CONTAINER)?.state;
  if (state?.terminated !== undefined) {
    const { exitCode, reason = "" } = state.terminated;
    return new ContainerEndedError(
      `the container ended with exit code ${exitCode} ${reason}`.trimEnd(),
      exitCode,
    );
  }
  const { reason = "", message = "" } = state?.waiting ?? {};
  if (/ImagePull|InvalidImageName|CreateContainer.*Error|RunContainerError/.test(reason)) {
    return new ContainerEndedError(`the container does not start: ${reason} ${message}`.trimEnd());
  }
  if (pod.status?.phase !== "Failed") return undefined;
  return new ContainerEndedError(
    `the pod failed: ${pod.status.reason ?? ""} ${pod.status.message ?? ""}`.trimEnd(),
  );
}
