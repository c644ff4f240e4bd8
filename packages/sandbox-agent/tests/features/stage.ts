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
import { join } from "node:path";
import { Daemon } from "@sandbox-agent/testkit";
import {
  type CreateOptions,
  type PermissionPrompt,
  type QuestionPrompt,
  SandboxAgent,
  type Session,
  type TurnResult,
} from "sandbox-agent";
import { installedAgent, lend } from "./installed-agent.ts";
import { ModelServer } from "./model-server.ts";
import { type AgentId, render, type Script, type Step } from "./script.ts";

/** A key that only the scripted model accepts. */
const KEY = "sk-ant-scripted";

export class Stage {
  readonly agent: AgentId;
  readonly client: SandboxAgent;
  readonly daemon: Daemon;
  readonly project: string;
  readonly #model: ModelServer | undefined;

  private constructor(agent: AgentId, client: SandboxAgent, daemon: Daemon, model: ModelServer | undefined) {
    this.agent = agent;
    this.client = client;
    this.daemon = daemon;
    this.#model = model;
    this.project = join(realpathSync(daemon.home), "project");
    mkdirSync(this.project);
  }

  static async set(agent: AgentId): Promise<Stage> {
    const model = agent === "demo" ? undefined : await ModelServer.start();
    const daemon = new Daemon({ env: model === undefined ? {} : environment(agent, model) });
    if (model !== undefined) {
      lend(agent, await installedAgent(agent), daemon.home);
      if (agent === "opencode") configureOpenCode(daemon.home, model);
    }
    await daemon.start();
    return new Stage(agent, await SandboxAgent.connect(daemon.connection), daemon, model);
  }

  async stop(): Promise<void> {
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
    writeFileSync(join(this.project, name), content);
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
}

/** A feature: an SDK program that fails unless the agent can do it. */
export interface Feature {
  /** Title of its row in docs/compatibility.md. */
  title: string;
  run(stage: Stage): Promise<void>;
}

/** Says a text after which the session has shown that it continues. */
export async function continues(stage: Stage, session: Session): Promise<void> {
  const step: Step = { model: "say: Continuing.", demo: "say Continuing." };
  const { text } = await stage.turn(session, [step]);
  if (text !== "Continuing.") throw new Error(`the session does not continue: it said '${text}'`);
}

function environment(agent: AgentId, model: ModelServer): Record<string, string> {
  if (agent === "codex") return { OPENAI_BASE_URL: `${model.url}/v1`, CODEX_API_KEY: KEY };
  if (agent === "opencode") return { ANTHROPIC_API_KEY: KEY };
  return { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_MAX_RETRIES: "2" };
}

/** OpenCode's providers learn where they are from its settings. */
function configureOpenCode(home: string, model: ModelServer): void {
  const folder = join(home, ".config/opencode");
  mkdirSync(folder, { recursive: true });
  const anthropic = { options: { baseURL: `${model.url}/v1` } };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify({ provider: { anthropic } }));
}
