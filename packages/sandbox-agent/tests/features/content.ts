// Images and files that come from the client.

import type { InputPart } from "sandbox-agent";
import { expect } from "vitest";
import { sayImages } from "./script.ts";
import type { Feature, Stage } from "./stage.ts";

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
    title: "Resource link",
    async run(stage) {
      const source = { type: "uri", uri: "file:///notes/the%20s%C3%A9cret.txt" } as const;
      const said = await send(stage, { type: "file", name: "secret.txt", source });
      if (!stage.isReal) return expect(said).toContain("link");
      expect(await stage.model.lastDialogue()).toContain("/notes/the sécret.txt");
    },
  },
];
