// Providers whose sandboxes run commands: the program is put in, started in the background and watched, always alike.

import { sleep } from "acp-http-client/sse";
import {
  type DaemonOptions,
  DEFAULT_HEALTH_TIMEOUT_MS,
  daemonEnv,
  exitScript,
  installScript,
  LOG_BYTES,
  logScript,
  programPath,
  quote,
  serverScript,
} from "./daemon.ts";
import { checkHealth, waitForHealth } from "./health.ts";
import { CommandError, Launch } from "./launch.ts";
import { readProgram } from "./program-file.ts";
import type { PreviewUrl, Sandbox, SandboxEndpoint, SandboxProvider } from "./provider.ts";
import { TimeLimit } from "./time-limit.ts";

/** Time between two looks at whether the daemon has ended, in milliseconds. */
const EXIT_CHECK_MS = 1_000;

export interface CommandResult {
  exitCode: number;
  /** Standard output and standard error. */
  output: string;
}

/** A sandbox that runs commands. */
export interface Machine {
  readonly id: string;
  /** Absolute path of a directory for the program and its output. */
  readonly folder: string;
  /** Runs a shell script until it ends. A script that fails is no error. */
  run(script: string, signal?: AbortSignal): Promise<CommandResult>;
  /** Writes a file, in a directory that exists. */
  upload?(content: Uint8Array, path: string, signal: AbortSignal): Promise<void>;
  /** Starts a shell script in the background. */
  spawn(script: string, env: Record<string, string>): Promise<void>;
  endpoint(): Promise<SandboxEndpoint>;
  previewUrl?(port: number): Promise<PreviewUrl>;
  pause?(): Promise<void>;
  /** Makes the sandbox run again. The daemon is started again if it does not answer. */
  resume?(): Promise<void>;
  destroy(): Promise<void>;
}

/** Makes and finds the machines of one provider. */
export interface MachineHost {
  create(env: Record<string, string>): Promise<Machine>;
  connect?(id: string): Promise<Machine>;
}

/** Returns a provider that runs the daemon on machines. */
export function machineProvider(
  name: string,
  options: DaemonOptions,
  open: () => Promise<MachineHost>,
): SandboxProvider {
  const launching = (signal: AbortSignal | undefined): Launch =>
    new Launch({ provider: name, signal, timeoutMs: options.startTimeoutMs });
  return {
    name,
    create: async ({ token, signal }) => {
      const launch = launching(signal);
      return launch.run(async () => {
        const host = await launch.step("load", open);
        const env = daemonEnv(options, token);
        const machine = await launch.create(async () => withLogs(await host.create(env)));
        await install(launch, machine, options);
        await launch.step("start", () => machine.spawn(serverScript(options, machine.folder), env));
        await launch.step("health", (limit) => healthy(machine, options, limit));
        return sandbox(name, machine, options, token);
      });
    },
    reconnect: async (id, { token, signal }) => {
      const launch = launching(signal);
      return launch.run(async () => {
        const host = await launch.step("load", open);
        const { connect } = host;
        if (connect === undefined) throw new Error(`${name} cannot connect to a sandbox again`);
        const machine = await launch.step("resume", () => connect.call(host, id));
        await launch.step("resume", (limit) => restart(machine, options, token, limit));
        return sandbox(name, machine, options, token);
      });
    },
  };
}

function withLogs(machine: Machine): Machine & { logs(): Promise<string> } {
  return Object.assign(machine, { logs: () => logs(machine) });
}

async function install(launch: Launch, machine: Machine, options: DaemonOptions): Promise<void> {
  if (options.program !== undefined && "file" in options.program) {
    await launch.step("upload", (signal) => upload(machine, options, signal));
  }
  const script = installScript(options.program, machine.folder);
  if (script !== undefined) await launch.step("install", (signal) => succeed(machine, script, signal));
}

async function upload(machine: Machine, { program }: DaemonOptions, signal: AbortSignal): Promise<void> {
  if (program === undefined || !("file" in program)) return;
  if (machine.upload === undefined) {
    throw new Error("files cannot be uploaded here; use another kind of 'program'");
  }
  const path = programPath(program, machine.folder);
  await succeed(machine, `mkdir -p ${quote(machine.folder)}`, signal);
  await machine.upload(await readProgram(program.file), path, signal);
  await succeed(machine, `chmod 755 ${quote(path)}`, signal);
}

async function succeed(machine: Machine, script: string, signal: AbortSignal): Promise<void> {
  const { exitCode, output } = await machine.run(script, signal);
  if (exitCode === 0) return;
  throw new CommandError(`a command ended with exit code ${exitCode}`, output.slice(-LOG_BYTES));
}

/** Starts the daemon if it does not answer, as after a restart. Some machines lose their files when they sleep. */
async function restart(
  machine: Machine,
  options: DaemonOptions,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const { baseUrl, ...rest } = await machine.endpoint();
  if ((await checkHealth(baseUrl, signal, rest)) === undefined) return;
  signal.throwIfAborted();
  const path = quote(programPath(options.program, machine.folder));
  if ((await machine.run(`command -v ${path}`, signal)).exitCode !== 0) {
    await upload(machine, options, signal);
    const script = installScript(options.program, machine.folder);
    if (script !== undefined) await succeed(machine, script, signal);
  }
  await machine.spawn(serverScript(options, machine.folder), daemonEnv(options, token));
  await healthy(machine, options, signal);
}

/** Resolves when the daemon is healthy. Rejects as soon as it has ended. */
async function healthy(machine: Machine, options: DaemonOptions, signal: AbortSignal): Promise<void> {
  const ms = options.healthTimeoutMs ?? DEFAULT_HEALTH_TIMEOUT_MS;
  const limit = new TimeLimit(ms, signal);
  void watchExit(machine, limit);
  try {
    const { baseUrl, ...rest } = await machine.endpoint();
    await waitForHealth(baseUrl, limit.signal, rest);
  } catch (error) {
    const { reason } = limit.signal;
    const ended = reason instanceof Error && reason.message.startsWith("the daemon ended");
    throw ended ? reason : error;
  } finally {
    limit.abort(undefined);
  }
}

/** Aborts the wait when the daemon has ended. Ends with the wait, and never rejects. */
async function watchExit(machine: Machine, limit: TimeLimit): Promise<void> {
  const { signal } = limit;
  for (;;) {
    await sleep(EXIT_CHECK_MS, signal).catch(() => {});
    if (signal.aborted) return;
    // If this fails, the health checks decide.
    const code = await machine.run(exitScript(machine.folder)).then(
      ({ output }) => output.trim(),
      () => "",
    );
    if (code !== "") limit.abort(new Error(`the daemon ended with exit code ${code}`));
  }
}

async function logs(machine: Machine): Promise<string> {
  return (await machine.run(logScript(machine.folder))).output;
}

function sandbox(provider: string, machine: Machine, options: DaemonOptions, token: string): Sandbox {
  const { previewUrl, pause, resume } = machine;
  const result: Sandbox = {
    id: machine.id,
    provider,
    endpoint: () => machine.endpoint(),
    destroy: () => machine.destroy(),
    logs: () => logs(machine),
  };
  if (previewUrl !== undefined) result.previewUrl = (port) => previewUrl.call(machine, port);
  if (pause !== undefined) result.pause = () => pause.call(machine);
  if (resume !== undefined) {
    result.resume = async () => {
      const launch = new Launch({ provider, timeoutMs: options.startTimeoutMs });
      await launch.run(async () => {
        await launch.step("resume", () => resume.call(machine));
        await launch.step("resume", (limit) => restart(machine, options, token, limit));
      });
    };
  }
  return result;
}
