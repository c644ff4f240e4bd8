// Runs one scenario against a daemon. The program has to end by itself afterwards.

import { SandboxAgent } from "sandbox-agent";
import { SCENARIOS } from "./scenarios.ts";

const [name = "", baseUrl = "", token = ""] = process.argv.slice(2);
const scenario = SCENARIOS[name];
if (scenario === undefined) throw new Error(`there is no scenario '${name}'`);
await scenario(await SandboxAgent.connect({ baseUrl, token }));
process.stdout.write("settled\n");
