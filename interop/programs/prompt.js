// Prompts the demo agent once with the published client, in a process of its own: that client does not catch its own
// failures, and takes the process along. Arguments: the daemon's address, its token, the prompt.

import { SandboxAgent } from "sandbox-agent";

const [baseUrl, token, words] = process.argv.slice(2);
const client = await SandboxAgent.connect({ baseUrl, token });
const session = await client.createSession({ agent: "demo", cwd: "/" });
await session.prompt([{ type: "text", text: words }]);
