// npm start -- claude "Delete the build directory"

import { createInterface } from "node:readline/promises";
import { example } from "./index.ts";

const [agent = "demo", prompt = "permission Send it off"] = process.argv.slice(2);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const answer = await example(agent, prompt, async (title) => {
  return (await terminal.question(`${title}? [y/N] `)).toLowerCase() === "y";
});
terminal.close();
console.log(answer);
