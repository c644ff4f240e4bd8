// npm start -- claude "Write a haiku"

import { example } from "./index.ts";

const [agent = "demo", prompt = "say Hello!"] = process.argv.slice(2);
await example(agent, prompt, (text) => process.stdout.write(text), {
  image: "sandbox-agent",
  program: { installed: "sandbox-agent" },
});
