// Agents, configuration, tickets and what the daemon says about itself.

import { NotFoundError, SandboxAgent, TokenInvalidError } from "sandbox-agent";
import { check, collect, rejection, same } from "./assert.ts";
import type { Case } from "./case.ts";

export const cases: Case[] = [
  {
    name: "agents are listed, found and asked for their models and modes",
    async run(environment) {
      const { agents } = await SandboxAgent.connect(environment);
      const ids = (await agents.list()).map((agent) => agent.id);
      check(ids.includes("claude") && ids.includes("demo"), ids.join());
      same((await agents.get("demo")).builtIn, true);
      await rejection(agents.get("nobody"), NotFoundError);
      const { models } = await agents.models("demo");
      check(
        models.some((model) => model.id === "demo-small"),
        JSON.stringify(models),
      );
      const { modes } = await agents.modes("demo");
      check(modes.length > 0, "the agent has modes");
    },
  },
  {
    name: "an installation is awaited, iterated, and both",
    async run(environment) {
      const { agents } = await SandboxAgent.connect(environment);
      same((await agents.install("demo")).builtIn, true);
      const installation = agents.install("demo");
      const steps = await collect(installation);
      same(steps.at(-1)?.step, "done");
      same((await installation).agent, "demo");
      same((await collect(installation)).length, steps.length);
      await rejection(agents.install("nobody"), NotFoundError);
      await rejection(collect(agents.install("nobody")), NotFoundError);
      same((await agents.uninstall("demo")).removed, []);
    },
  },
  {
    name: "MCP servers and skills of a directory are set, read, listed and deleted",
    async run(environment) {
      const { config } = await SandboxAgent.connect(environment);
      const directory = `/config-${crypto.randomUUID()}`;
      await config.mcp.set(directory, "files", { type: "local", command: "mcp-files", args: ["-v"] });
      const server = await config.mcp.get(directory, "files");
      same([server.type, server["command"]], ["local", "mcp-files"]);
      same(Object.keys(await config.mcp.list(directory)), ["files"]);
      await config.mcp.delete(directory, "files");
      await config.mcp.delete(directory, "files");
      await rejection(config.mcp.get(directory, "files"), NotFoundError);
      await config.skills.set(directory, "review", { sources: [{ type: "local", source: "/skills" }] });
      same((await config.skills.get(directory, "review")).sources.length, 1);
      same(Object.keys(await config.skills.list(directory)), ["review"]);
      await config.skills.delete(directory, "review");
      same(await config.skills.list(directory), {});
    },
  },
  {
    name: "a ticket opens a stream until it is revoked",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      const session = await client.sessions.create({ agent: "demo" });
      const path = `/v1/sessions/${session.id}/events/sse`;
      const { ticket } = await client.tickets.issue({ path, lifetimeMs: 60_000 });
      const open = async (): Promise<number> => {
        const response = await fetch(`${environment.baseUrl}${path}?ticket=${ticket}`);
        await response.body?.cancel();
        return response.status;
      };
      same(await open(), 200);
      await client.tickets.revoke(ticket);
      same(await open(), 401);
    },
  },
  {
    name: "the daemon describes itself; a wrong token is refused",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      same((await client.info()).name, "sandbox-agent");
      same((await client.health()).status, "ok");
      check((await client.metrics()).includes("# EOF"), "metrics end with # EOF");
      check("paths" in (await client.openapi()), "the document has paths");
      const session = await client.sessions.create({ agent: "demo" });
      await session.send("say hi").done;
      const servers = await client.servers.list();
      check(servers.length > 0, "the agent of a session has a server");
      await client.servers.delete("does-not-exist");
      const wrong = SandboxAgent.connect({ baseUrl: environment.baseUrl, token: "wrong" });
      const error = await rejection(wrong, TokenInvalidError);
      same([error.status, error.code, error.requestId?.length], [401, "token_invalid", 32]);
    },
  },
];
