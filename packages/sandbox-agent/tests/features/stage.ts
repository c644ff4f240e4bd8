// The stage of a feature: a daemon with one agent, the scripted model behind it, a project, and the SDK before it.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { binary, Daemon } from "@sandbox-agent/testkit";
import {
  type CreateOptions,
  type PermissionPrompt,
  type QuestionPrompt,
  SandboxAgent,
  SandboxAgentClient,
  type Session,
  type TurnResult,
} from "sandbox-agent";
import { installedAgent, lend } from "./installed-agent.ts";
import { ModelServer } from "./model-server.ts";
import { type AgentId, render, type Script, type Step } from "./script.ts";

/** OpenCode itself adds a schema to settings that have none. */
const OPENCODE_SETTINGS = `{
  "$schema": "https://opencode.ai/config.json",
  // Mine.
  "username": "me",
}
`;

/** The user's own settings of the agent, below the home directory. */
const SETTINGS: Record<AgentId, Record<string, string>> = {
  demo: {},
  claude: { ".claude/settings.json": '{\n  "verbose":   true\n}\n' },
  codex: { ".codex/config.toml": "# Mine.\nhide_agent_reasoning = false\n" },
  opencode: { ".config/opencode/opencode.jsonc": OPENCODE_SETTINGS },
};

/** Id of the agent whose program first writes lines that nobody knows. */
export const NOISY = "noisy";

const NOISY_PROGRAM = fileURLToPath(new URL("noisy-program.sh", import.meta.url));

/** A key that only the scripted model accepts. */
const KEY = "sk-ant-scripted";

export class Stage {
  readonly agent: AgentId;
  readonly client: SandboxAgent;
  readonly daemon: Daemon;
  readonly project: string;
  readonly #model: ModelServer | undefined;
  #direct: SandboxAgentClient | undefined;

  private constructor(agent: AgentId, client: SandboxAgent, daemon: Daemon, model: ModelServer | undefined) {
    this.agent = agent;
    this.client = client;
    this.daemon = daemon;
    this.#model = model;
    this.project = join(realpathSync(daemon.home), "project");
    mkdirSync(this.project);
  }

  static async set(agent: AgentId, credentials: "given" | "none" = "given"): Promise<Stage> {
    const model = agent === "demo" ? undefined : await ModelServer.start();
    const installed = agent === "demo" ? undefined : await installedAgent(agent);
    const env = model === undefined ? {} : environment(agent, model, credentials);
    const noisy = `${NOISY}=${binary} acp ${agent} --program ${NOISY_PROGRAM}`;
    const options = installed === undefined ? {} : { flags: ["--agent", noisy] };
    const daemon = new Daemon({ ...options, env: { ...env, QUIET_PROGRAM: installed?.program ?? "" } });
    for (const [name, content] of Object.entries(SETTINGS[agent])) putIn(daemon.home, name, content);
    if (installed !== undefined) lend(agent, installed.folder, daemon.home);
    // OpenCode takes a provider with settings for one with credentials.
    if (agent === "opencode" && model !== undefined && credentials === "given")
      configureOpenCode(daemon.home, model);
    await daemon.start();
    return new Stage(agent, await SandboxAgent.connect(daemon.connection), daemon, model);
  }

  async stop(): Promise<void> {
    await this.#direct?.disconnect();
    await this.daemon.stop();
    await this.#model?.stop();
  }

  /** Sets the stage for another feature: an empty project, and a model that was asked nothing. */
  async startOver(): Promise<void> {
    for (const name of readdirSync(this.project)) rmSync(join(this.project, name), { recursive: true });
    await this.#model?.clear();
  }

  /** True if a model is behind the agent. The demo agent also makes files and commands up. */
  get isReal(): boolean {
    return this.#model !== undefined;
  }

  get model(): ModelServer {
    if (this.#model === undefined) throw new Error("there is no model behind the demo agent");
    return this.#model;
  }

  async session(options: Partial<CreateOptions> = {}): Promise<Session> {
    return this.client.sessions.create({ agent: this.agent, cwd: this.project, ...options });
  }

  /** A client that talks to the agent itself. Its features share one, as agents take long to start. */
  get direct(): SandboxAgentClient {
    this.#direct ??= new SandboxAgentClient({ ...this.daemon.connection, agent: this.agent });
    return this.#direct;
  }

  /** The user's settings: as they were before the agent started, and as they are now. */
  get settings(): { before: Record<string, string>; now: Record<string, string> } {
    const before = SETTINGS[this.agent];
    const read = (name: string): string => readFileSync(join(this.daemon.home, name), "utf8");
    return { before, now: Object.fromEntries(Object.keys(before).map((name) => [name, read(name)])) };
  }

  text(...script: Script): string {
    return render(this.agent, script);
  }

  /** Sends a script and waits for a turn that ends by itself. */
  async turn(session: Session, ...script: Script): Promise<TurnResult> {
    const result = await session.send(this.text(...script)).done;
    if (result.stopReason !== "endTurn") throw new Error(`the turn ended with ${result.stopReason}`);
    return result;
  }

  file(name: string): string | undefined {
    const path = join(this.project, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  put(name: string, content: string): void {
    putIn(this.project, name, content);
  }
}

/** The requests of the agent in a session, with one answer for all. */
export class Asked {
  readonly permissions: PermissionPrompt[] = [];
  readonly questions: QuestionPrompt[] = [];
  /** Answers a permission. It stays open if this does nothing. */
  decide: (permission: PermissionPrompt) => unknown = () => {};
  answer: (question: QuestionPrompt) => unknown = () => {};

  constructor(session: Session) {
    session.onPermission((permission) => {
      this.permissions.push(permission);
      return this.decide(permission);
    });
    session.onQuestion((question) => {
      this.questions.push(question);
      return this.answer(question);
    });
  }

  /** Waits for the first permission, which has a stream of its own and may come later than the event of the turn. */
  async permission(): Promise<PermissionPrompt> {
    for (;;) {
      const [first] = this.permissions;
      if (first !== undefined) return first;
      await sleep(20);
    }
  }
}

/** A feature: an SDK program that fails unless the agent can do it. */
export interface Feature {
  /** Title of its row in docs/compatibility.md. */
  title: string;
  run(stage: Stage): Promise<void>;
  /** Shows how an agent lacks it. Each agent that docs/compatibility.md says so of has one. */
  lacking?: Partial<Record<AgentId, (stage: Stage) => Promise<void>>>;
}

/** Says a text after which the session has shown that it continues. */
export async function continues(stage: Stage, session: Session): Promise<void> {
  const step: Step = { model: "say: Continuing.", demo: "say Continuing." };
  const { text } = await stage.turn(session, [step]);
  if (text !== "Continuing.") throw new Error(`the session does not continue: it said '${text}'`);
}

function environment(
  agent: AgentId,
  model: ModelServer,
  credentials: "given" | "none",
): Record<string, string> {
  const key = (name: string) => (credentials === "given" ? { [name]: KEY } : {});
  if (agent === "codex") return { OPENAI_BASE_URL: `${model.url}/v1`, ...key("CODEX_API_KEY") };
  if (agent === "opencode") return key("ANTHROPIC_API_KEY");
  const claude = { ANTHROPIC_BASE_URL: model.url, CLAUDE_CODE_MAX_RETRIES: "2" };
  return { ...claude, ...key("ANTHROPIC_API_KEY") };
}

function putIn(folder: string, name: string, content: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** OpenCode's providers learn where they are from its settings. One model is listed that the provider does not have. */
function configureOpenCode(home: string, model: ModelServer): void {
  const models = { "no-such-model": { name: "Not there" } };
  const anthropic = { options: { baseURL: `${model.url}/v1` }, models };
  putIn(home, ".config/opencode/opencode.json", JSON.stringify({ provider: { anthropic } }));
}
