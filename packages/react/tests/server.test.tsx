// Rendering on a server: no window, no requests.

import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { Composer, SandboxAgentProvider, Transcript } from "../src/index.ts";
import { countingFetch } from "./counting-fetch.ts";

test("everything renders without a window and without a request", () => {
  expect(typeof window).toBe("undefined");
  const { fetch, requests } = countingFetch();
  const html = renderToString(
    <SandboxAgentProvider baseUrl="http://127.0.0.1:1" token="t" fetch={fetch}>
      <Transcript sessionId="s" />
      <Composer sessionId="s" />
    </SandboxAgentProvider>,
  );
  expect(html).toContain('data-connection="idle"');
  expect(html).toContain("textarea");
  expect(requests).toEqual([]);
});
