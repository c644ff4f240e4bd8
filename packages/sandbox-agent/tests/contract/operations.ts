// One call of the SDK for each operation of the OpenAPI document. Operations of the raw protocol belong to acp-http-client.

import type { SandboxAgent, Session } from "sandbox-agent";

type Call = (client: SandboxAgent, session: Session) => PromiseLike<unknown> | AsyncIterable<unknown>;

/** Operations that carry ACP messages, and the package that implements them. */
export const RAW_OPERATIONS: readonly string[] = [
  "streamAcpConnection",
  "postAcpConnection",
  "closeAcpConnection",
  "postAcpMessage",
  "streamAgentAcpConnection",
  "postAgentAcpConnection",
  "closeAgentAcpConnection",
];

/** Operations that do the same as another one in a form that the SDK has no use for, and the one that it uses. */
export const COVERED_OPERATIONS: Readonly<Record<string, string>> = {
  // The stream of an installation ends with the same result.
  installAgent: "streamAgentInstallation",
  // A turn reads the log, which can be resumed.
  postMessageStream: "postMessage",
};

export const CALLS: Readonly<Record<string, Call>> = {
  getInfo: (client) => client.info(),
  getHealth: (client) => client.health(),
  getMetrics: (client) => client.metrics(),
  getUsage: (client) =>
    client.usage.list({
      from: "1970-01-01T00:00:00Z",
      groupBy: ["session", "model"],
      agent: ["demo"],
      limit: 1,
    }),
  getOpenapi: (client) => client.openapi(),
  issueTicket: (client) => client.tickets.issue({ path: "/v1/fs/watch", lifetimeMs: 1000 }),
  revokeTicket: (client) => client.tickets.revoke("ticket"),
  listAcpServers: (client) => client.servers.list(),
  streamAcpMessages: (client) => client.servers.messages("server", { after: 1 }),
  deleteAcpServer: (client) => client.servers.delete("server"),

  listAgents: (client) => client.agents.list({ config: true, noCache: true }),
  getAgent: (client) => client.agents.get("demo", { config: true, noCache: true }),
  getLatestAgentVersion: (client) => client.agents.latest("demo"),
  streamAgentInstallation: (client) => client.agents.install("demo", { agentVersion: "1" }),
  updateAgent: (client) => client.agents.makeCurrent("demo", "1"),
  uninstallAgent: (client) => client.agents.uninstall("demo", "1"),
  listAgentModels: (client) => client.agents.models("demo", { noCache: true }),
  listAgentModes: (client) => client.agents.modes("demo", { noCache: true }),

  getMcpConfig: (client) => client.config.mcp.get("/d", "name"),
  setMcpConfig: (client) => client.config.mcp.set("/d", "name", { type: "local", command: "c" }),
  deleteMcpConfig: (client) => client.config.mcp.delete("/d", "name"),
  listMcpConfigs: (client) => client.config.mcp.list("/d"),
  getSkillsConfig: (client) => client.config.skills.get("/d", "name"),
  setSkillsConfig: (client) => client.config.skills.set("/d", "name", { sources: [] }),
  deleteSkillsConfig: (client) => client.config.skills.delete("/d", "name"),
  listSkillsConfigs: (client) => client.config.skills.list("/d"),

  listFsEntries: (client) => client.fs.entryPage("p", { limit: 1, after: "a" }),
  statFsEntry: (client) => client.fs.stat("p", { follow: false }),
  readFsFile: (client) => client.fs.read("p", { start: 1, end: 2, ifMatch: '"e"' }),
  headFsFile: (client) => client.fs.head("p"),
  writeFsFile: (client) => client.fs.write("p", "", { ifMatch: '"e"', mode: "600", sync: false }),
  deleteFsEntry: (client) => client.fs.delete("p", { recursive: true }),
  makeFsDirectory: (client) => client.fs.mkdir("p"),
  moveFsEntry: (client) => client.fs.move("from", "to", { overwrite: true }),
  uploadFsBatch: (client) => client.fs.uploadBatch(new Uint8Array(), { path: "p" }),
  downloadFsBatch: (client) => client.fs.downloadBatch("p", { format: "tar.gz", ignored: false }),
  watchFs: (client) => client.fs.watch("p", { recursive: false, ignored: true }),
  searchFs: (client) => client.fs.search({ path: "p", name: "*", content: "c", literal: true, limit: 1 }),

  createProcess: (client) => client.processes.create({ command: "c" }),
  runProcess: (client) => client.processes.run({ command: "c" }),
  listProcesses: (client) => client.processes.list({ owner: "user" }),
  getProcess: (client) => client.processes.get("id"),
  stopProcess: (client) => client.processes.stop("id", { graceMs: 1, waitMs: 1 }),
  killProcess: (client) => client.processes.kill("id", { waitMs: 1 }),
  sendProcessInput: (client) => client.processes.input("id", "text"),
  getProcessLogs: (client) => client.processes.logs("id", { stream: "stdout", after: 1, limit: 1 }),
  streamProcessLogs: (client) => client.processes.follow("id", { stream: "stdout", tail: 1 }),
  resizeProcessTerminal: (client) => client.processes.resize("id", { cols: 1, rows: 1 }),
  deleteProcess: (client) => client.processes.delete("id"),
  getProcessConfig: (client) => client.processes.config(),
  setProcessConfig: (client) => client.processes.setConfig({ stopGraceMs: 1 }),

  listSessions: (client) => client.sessions.page({ state: ["idle"], agent: ["demo"], metadata: { a: 1 } }),
  createNewSession: (client) => client.sessions.create({ agent: "demo" }),
  createSession: (client) => client.sessions.create({ agent: "demo", id: "s" }),
  getSession: (client) => client.sessions.get("s"),
  importSession: (client) => client.sessions.import("", { id: "s" }),
  patchSession: (_, session) => session.update({ title: "t" }),
  deleteSession: (_, session) => session.delete(),
  terminateSession: (_, session) => session.terminate(),
  resumeSession: (_, session) => session.resume(),
  forkSession: (_, session) => session.fork(),
  exportSession: (_, session) => session.export(),
  cancelTurn: (_, session) => session.cancel(),
  getEvents: (_, session) => session.eventPage({ after: 1, limit: 1, types: ["ended"], deltas: false }),
  streamEvents: (_, session) => session.events({ after: 1, types: ["turnEnded"], deltas: false }),
  getMessages: (_, session) => session.messages({ after: 1, limit: 1, order: "desc" }),
  postMessage: (_, session) => session.send("m").accepted,
  withdrawMessage: (_, session) => session.withdraw("m"),
  reorderQueue: (_, session) => session.reorder(["m"]),
  replyToPermission: (_, session) => session.replyPermission("p", { reply: "once" }),
  replyToQuestion: (_, session) => session.replyQuestion("q", [["a"]], { client: "c" }),
  rejectQuestion: (_, session) => session.rejectQuestion("q"),
};
