// Sandboxes that share one store. Each session is mirrored, so that any other sandbox can continue it.

import { SandboxAgent, type SandboxProvider, type Session } from "sandbox-agent";
import { type Mirror, mirror, restore } from "sandbox-agent/mirror";
import type { PersistDriver } from "sandbox-agent/persist";

/** A session with the sandbox that it runs in. */
export interface Placed {
  session: Session;
  mirroring: Mirror;
  sandbox: SandboxAgent;
}

export class Fleet implements AsyncDisposable {
  readonly #store: PersistDriver;
  #sandboxes: SandboxAgent[];

  private constructor(store: PersistDriver, sandboxes: SandboxAgent[]) {
    this.#store = store;
    this.#sandboxes = sandboxes;
  }

  static async start(store: PersistDriver, providers: SandboxProvider[]): Promise<Fleet> {
    return new Fleet(store, await Promise.all(providers.map((sandbox) => SandboxAgent.start({ sandbox }))));
  }

  /** Creates a session in any sandbox. */
  async create(agent: string): Promise<Placed> {
    const sandbox = this.#pick();
    const session = await sandbox.sessions.create({ agent });
    return { session, sandbox, mirroring: mirror(session, this.#store) };
  }

  /** Continues a session whose sandbox was lost, in another one. */
  async recover({ session, mirroring, sandbox: lost }: Placed): Promise<Placed> {
    this.#sandboxes = this.#sandboxes.filter((sandbox) => sandbox !== lost);
    await mirroring.stop();
    await lost.dispose();
    const sandbox = this.#pick();
    const restored = await restore(sandbox, this.#store, session.id);
    return { session: restored, sandbox, mirroring: mirror(restored, this.#store) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sandboxes.map((sandbox) => sandbox.dispose()));
  }

  #pick(): SandboxAgent {
    const sandbox = this.#sandboxes[Math.floor(Math.random() * this.#sandboxes.length)];
    if (sandbox === undefined) throw new Error("no sandbox is left");
    return sandbox;
  }
}
