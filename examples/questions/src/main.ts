// npm start -- claude "Ask me which color to use, then describe it"

import { createInterface } from "node:readline/promises";
import { example } from "./index.ts";

const [agent = "demo", prompt = "question"] = process.argv.slice(2);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const answer = await example(agent, prompt, async (question, choices) => {
  const text = await terminal.question(`${question} (${choices.join(", ")}) `);
  return text === "" ? undefined : [text];
});
terminal.close();
console.log(answer);
