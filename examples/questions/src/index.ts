// Answers the questions of an agent: choices by their labels, everything else as text.

import { SandboxAgent } from "sandbox-agent";
import { type LocalOptions, local } from "sandbox-agent/local";

/** Asks a person. Returns the chosen labels, a text, or nothing to decline. */
export type Ask = (question: string, choices: readonly string[]) => Promise<string[] | undefined>;

export async function example(
  agent: string,
  prompt: string,
  ask: Ask,
  options: LocalOptions = {},
): Promise<string> {
  await using client = await SandboxAgent.start({ sandbox: local(options) });
  const session = await client.sessions.create({ agent, cwd: process.cwd() });
  session.onQuestion(async (question) => {
    const answers: string[][] = [];
    for (const part of question.request.questions) {
      const choices = part.options?.map(({ label }) => label) ?? [];
      const answer = await ask(part.question, choices);
      if (answer === undefined) return question.reject();
      answers.push(answer);
    }
    return question.answer(answers);
  });
  const { text } = await session.send(prompt).done;
  return text;
}
