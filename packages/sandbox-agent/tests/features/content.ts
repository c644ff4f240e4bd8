// Images, files and MCP servers that come from the client.

import { fileURLToPath } from "node:url";
import type { InputPart } from "sandbox-agent";
import { expect } from "vitest";
import { greetByMcp, sayImages, sayResult } from "./script.ts";
import type { Feature, Stage } from "./stage.ts";
import { toolCalls } from "./tool-calls.ts";

/** One red pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

async function send(stage: Stage, part: InputPart): Promise<string> {
  const session = await stage.session();
  const { text } = await session.send([{ type: "text", text: stage.text([sayImages]) }, part]).done;
  return text;
}

export const features: Feature[] = [
  {
    title: "Image",
    async run(stage) {
      const source = { type: "base64", data: PIXEL } as const;
      expect(await send(stage, { type: "image", mimeType: "image/png", source })).toContain("image/png");
    },
  },
  {
    title: "Embedded resource",
    async run(stage) {
      const source = { type: "text", text: "The secret is 42." } as const;
      const path = "/notes/secret.txt";
      const said = await send(stage, {
        type: "file",
        name: "secret.txt",
        mimeType: "text/plain",
        path,
        source,
      });
      if (!stage.isReal) return expect(said).toContain("resource");
      expect(await stage.model.lastDialogue()).toContain("The secret is 42.");
    },
  },
  {
    title: "MCP on standard streams",
    async run(stage) {
      const server = fileURLToPath(new URL("mcp-server.js", import.meta.url));
      const session = await stage.session({
        permissionMode: "bypass",
        mcp: {
          suite: { type: "local", command: process.execPath, args: [server], env: { GREETING: "Welcome" } },
        },
      });
      const turn = await stage.turn(session, [greetByMcp("suite", "Ada")], [sayResult]);
      expect(turn.text).toContain("Welcome, Ada");
      expect(toolCalls(turn)[0]?.call).toMatchObject({
        status: "completed",
        title: expect.stringContaining("greet"),
      });
    },
  },
];
