// The daemon is killed and restarted while the client works.

import { SandboxAgent, type UniversalEvent } from "sandbox-agent";
import { first, same } from "./assert.ts";
import type { Case } from "./case.ts";

export const cases: Case[] = [
  {
    name: "iteration continues over a killed daemon: nothing is missing, nothing comes twice",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      const session = await client.sessions.create({ agent: "demo" });
      const seen: UniversalEvent[] = [];
      const reading = (async () => {
        for await (const event of session.events()) {
          seen.push(event);
          if (event.type === "turnEnded" && event.data.turnEnded.stopReason === "endTurn") return;
        }
      })();
      const turn = session.send("stream 100000 100 every 1");
      await first(turn, (event) => event.type === "messageDelta");
      await environment.control("restart");
      same((await turn.done).reason, "daemonRestarted");
      same((await session.send("say again").done).text, "again");
      await reading;
      same(
        seen.map((event) => event.id),
        seen.map((_, index) => index + 1),
        "ids",
      );
    },
  },
  {
    name: "calls wait for a daemon that is being started",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      const session = await client.sessions.create({ agent: "demo" });
      await environment.control("kill");
      const connecting = SandboxAgent.connect(environment);
      const getting = client.sessions.get(session.id);
      await environment.control("start");
      same((await getting).id, session.id);
      same((await (await connecting).health()).status, "ok");
    },
  },
];
