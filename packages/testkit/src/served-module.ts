// Pages of loopback that run a bundled module in a browser.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";

/** A page that runs a module, served on loopback. */
export interface ServedPage extends AsyncDisposable {
  url: string;
}

/** Bundles a TypeScript module with all that it imports, and serves a page that runs it. */
export async function serveModule(entry: URL): Promise<ServedPage> {
  const result = await build({
    entryPoints: [entry.pathname],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    supported: { using: false },
    conditions: ["@sandbox-agent/source", "browser"],
    logLevel: "silent",
  });
  const script = result.outputFiles[0]?.text ?? "";
  const server = createServer((request, response) => {
    const isScript = request.url === "/module.js";
    response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    response.end(isScript ? script : '<!doctype html><script type="module" src="/module.js"></script>');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
