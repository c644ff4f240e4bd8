// Tasks for an agent, in words that fit every agent: the scripted model reads one form (docs/model-server.md),
// the demo agent another (docs/demo-agent.md).

/** The agents that the features are driven with. */
export type AgentId = "demo" | "claude" | "codex" | "opencode";

/** One thing that the model does. The demo agent cannot do what has no form for it. */
export interface Step {
  model: string;
  demo?: string;
  /** A form for an agent that has its own ways. */
  own?: Partial<Record<AgentId, string>>;
  /** The plan of a step that asks to leave plan mode. */
  plan?: string;
}

/** The model sees the results of its tools between two turns. */
export type Script = Step[][];

/** A variable that the model server replaces. */
const variable = (name: string): string => `\${${name}}`;

export const say = (text: string): Step => ({ model: `say: ${text}`, demo: `say ${text}` });
export const think = (text: string): Step => ({ model: `think: ${text}`, demo: `think ${text}` });
export const stream = (pieces: number): Step => ({
  model: `repeat: ${pieces} x 16`,
  demo: `stream ${pieces} 16`,
});
export const hang: Step = { model: "hang", demo: "hang" };
export const compact: Step = { model: "/compact", demo: "compact" };
/** Says what the last tool gave to the model. The demo agent's commands report their results themselves. */
export const sayResult: Step = { model: `say: ${variable("LAST_TOOL_RESULT")}`, demo: "" };
export const saySettings: Step = {
  model: `say: model=${variable("MODEL")} effort=${variable("EFFORT")}`,
  demo: "config",
};
export const sayImages: Step = { model: `say: images: ${variable("IMAGES")}`, demo: "image" };
export const stop = (reason: string): Step => ({ model: `stop: ${reason}`, demo: `stop ${reason}` });
export const usage = (input: number, output: number): Step => ({
  model: `usage: input=${input} output=${output}`,
  demo: "usage",
});
export const cut = (times: number): Step => ({ model: `cut: x${times}` });

export const fail = (status: number, times?: number): Step => {
  const model = `fail: ${status}${times === undefined ? "" : ` x${times}`}`;
  // OpenCode reports why it tries again in the words of the model's API.
  return { model, own: status === 429 ? { opencode: `${model} HTTP 429: too many requests` } : {} };
};

const tool = (name: string, input: unknown): string => `tool: ${name} ${JSON.stringify(input)}`;
const placed = (path: string): string => `${variable("CWD")}/${path}`;

export const shell = (command: string): Step => ({
  model: tool("shell", { command }),
  demo: `run ${command}`,
});
export const shellInBackground = (command: string): Step => ({
  model: tool("shell", { command, background: true }),
});
export const read = (path: string): Step => ({
  model: tool("read", { path: placed(path) }),
  demo: `read ${path}`,
});
export const write = (path: string, content: string): Step => ({
  model: tool("write", { path: placed(path), content }),
  demo: `edit ${path}`,
});
export const edit = (path: string, old: string, new_: string): Step => ({
  model: tool("edit", { path: placed(path), old, new: new_ }),
  demo: `edit ${path}`,
});
export const greetByMcp = (server: string, who: string): Step => ({
  model: tool(`${server}/greet`, { who }),
});

/** Has another agent follow a script. */
export const delegate = (...script: Script): Step => {
  const task = (agent: AgentId, more: object = {}): string =>
    tool("task", { description: "Help out", prompt: render(agent, script), ...more });
  const wait = tool("wait_agent", { timeout_ms: 60_000 });
  return {
    model: task("claude"),
    own: { codex: `${task("codex")}\nthen\n${wait}`, opencode: task("opencode", { agent: "general" }) },
  };
};

/** Asks for a color: Red, Green or Blue. */
export const question: Step = {
  model: tool("question", { question: "Which color?", header: "Color", options: ["Red", "Green", "Blue"] }),
  demo: "question",
};

/** Writes a list of things to do and begins the first one. */
export const todo = (items: string[]): Step => {
  const list = items.map((content, index) => ({ content, status: index === 0 ? "in_progress" : "pending" }));
  const all = tool("todo", { items: list });
  // Claude Code makes tasks first and begins them then.
  const begin = tool("TaskUpdate", { taskId: "1", status: "in_progress" });
  return { model: all, demo: "plan", own: { claude: `${all}\nthen\n${begin}` } };
};

/** Writes a plan and asks to leave plan mode. */
export const leavePlan = (plan: string): Step => {
  const file = tool("write", { path: variable("PLAN_FILE"), content: plan });
  return { model: `${file}\nthen\n${tool("exit_plan", { plan })}`, demo: "leave-plan", plan };
};

/** Returns the script as a prompt for an agent. Throws if the agent has no words for it. */
export function render(agent: AgentId, script: Script): string {
  if (agent === "demo") return script.flat().map(forDemo).join("\n");
  const turns: string[] = [];
  for (const [index, turn] of script.entries()) {
    const plan = turn.find((step) => step.plan !== undefined)?.plan;
    if (agent === "codex" && plan !== undefined) {
      turns.push(codexPlan(plan, script.slice(index + 1)));
      break;
    }
    turns.push(turn.map((step) => step.own?.[agent] ?? step.model).join("\n"));
  }
  return turns.join("\nthen\n");
}

/** Codex ends the turn with its plan. The work is another turn, whose prompt is the plan. */
function codexPlan(plan: string, rest: Script): string {
  const lines = `${plan}\n${render("codex", rest)}`.split("\n");
  return ["<proposed_plan>", ...lines, "</proposed_plan>"].map((line) => `say: ${line}`).join("\n");
}

function forDemo(step: Step): string {
  if (step.demo === undefined) throw new NoCommandError(step);
  return step.demo;
}

/** The demo agent cannot do a step. */
export class NoCommandError extends Error {
  override name = "NoCommandError";

  constructor(step: Step) {
    super(`the demo agent has no command for '${step.model}'`);
  }
}
