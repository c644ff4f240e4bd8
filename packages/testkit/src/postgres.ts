// A Postgres server of its own for a test: a new cluster in a temporary directory, on a free port of loopback.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";

/** Longest time that the server may take to start or to stop. */
const PATIENCE_MS = 60_000;

/** How long clients that are about to leave have before they are disconnected. */
const GRACE_MS = 2_000;

/** Where Debian and others install the server, which is not on `PATH`. */
const HOMES = ["/usr/lib/postgresql", "/usr/local/lib/postgresql"];

const OWNER = "postgres";

/** A user who may run the server. It refuses to run as root. */
interface Owner {
  uid: number;
  gid: number;
}

/** Starts a server. Dispose of it to stop it and to delete its files. */
export async function startPostgres(): Promise<Postgres> {
  const bin = serverDirectory();
  const folder = mkdtempSync(join(tmpdir(), "sa-postgres-"));
  const owner = process.getuid?.() === 0 ? findOwner() : undefined;
  const password = randomBytes(18).toString("hex");
  try {
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (owner !== undefined) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
    const data = join(folder, "data");
    const init = ["--pgdata", data, "--username", OWNER, "--pwfile", passwordFile];
    const settings = ["--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-sync"];
    execFileSync(join(bin, "initdb"), [...init, ...settings], { ...owner, cwd: folder, stdio: "pipe" });
    const port = await freePort();
    const flags = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder, "-c", "fsync=off"];
    const child = spawn(join(bin, "postgres"), flags, {
      ...owner,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const server = new Postgres(child, folder, port, password);
    await server.ready();
    return server;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

export class Postgres implements AsyncDisposable {
  /** For `new Pool(server.connection)` of the package `pg`. */
  readonly connection: { host: string; port: number; user: string; password: string; database: string };
  /** Output so far. */
  log = "";
  readonly #child: ChildProcess;
  readonly #folder: string;

  /** @internal */
  constructor(child: ChildProcess, folder: string, port: number, password: string) {
    this.#child = child;
    this.#folder = folder;
    this.connection = { host: "127.0.0.1", port, user: OWNER, password, database: "postgres" };
  }

  get url(): string {
    const { user, password, host, port, database } = this.connection;
    return `postgres://${user}:${password}@${host}:${port}/${database}`;
  }

  /** @internal */
  async ready(): Promise<void> {
    const child = this.#child;
    await within(
      new Promise<void>((listen, fail) => {
        child.once("error", fail);
        child.once("close", (code) => fail(new Error(`postgres ended with code ${code}\n${this.log}`)));
        child.stderr?.setEncoding("utf8").on("data", (data: string) => {
          this.log += data;
          if (this.log.includes("ready to accept connections")) listen();
        });
      }),
      () => `postgres did not start\n${this.log}`,
    );
  }

  /** Stops the server and deletes its files. */
  async stop(): Promise<void> {
    const child = this.#child;
    try {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "close");
      // The first signal waits for clients, which may still be closing their connections; the second one does not.
      child.kill("SIGTERM");
      const insist = setTimeout(() => child.kill("SIGINT"), GRACE_MS);
      await within(ended, () => `postgres did not stop\n${this.log}`).finally(() => clearTimeout(insist));
    } finally {
      child.kill("SIGKILL");
      rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Returns the directory of the server's programs: `POSTGRES_BIN`, or that of the newest that is installed. */
function serverDirectory(): string {
  const named = process.env["POSTGRES_BIN"];
  if (named !== undefined) return named;
  const installed = HOMES.filter((home) => existsSync(home)).flatMap((home) =>
    readdirSync(home).map((version) => ({ version: Number(version), bin: join(home, version, "bin") })),
  );
  const complete = installed.filter(({ bin }) => existsSync(join(bin, "initdb")));
  const [newest] = complete.sort((one, other) => other.version - one.version);
  if (newest === undefined) {
    throw new Error("no Postgres server: install Debian's package postgresql, or set POSTGRES_BIN");
  }
  return newest.bin;
}

function findOwner(): Owner {
  const number = (flag: string): number =>
    Number(execFileSync("id", [flag, OWNER], { encoding: "utf8" }).trim());
  return { uid: number("-u"), gid: number("-g") };
}

async function within<T>(promise: Promise<T>, failure: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(failure())), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
