// A web server on loopback that publishes an agent as vendors do: a file with the latest version's name, one program for each
// version, and its checksum.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const STORE = "/agents.example/published";
const PLATFORMS = ["linux-x64", "linux-x64-baseline", "linux-x64-musl", "linux-x64-baseline-musl"].concat(
  ["linux-arm64", "linux-arm64-musl", "darwin-arm64", "darwin-x64"],
);

/** The agent `published` as a table of the daemon's configuration file. */
export const PUBLISHED = `
[agents.published]
name = "Published"
command = "published"
[agents.published.install]
entry = ["published"]
[[agents.published.install.sources]]
kind = "vendor"
base = ["https://agents.example/published"]
latest = "{base}/latest"
file = "{base}/{version}/published"
checksum = { sums = "{base}/{version}/published.sha256" }
platforms = { ${PLATFORMS.map((name) => `${name} = "any"`).join(", ")} }
`;

/** Starts a mirror without anything in it. */
export async function startMirror() {
  const files = new Map();
  const server = createServer((request, response) => {
    const file = files.get(request.url);
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Publishes a version, as the latest: a script with this text. */
    publish(version, script) {
      const program = `#!/bin/sh\n${script}\n`;
      const sum = createHash("sha256").update(program).digest("hex");
      files.set(`${STORE}/latest`, `${version}\n`);
      files.set(`${STORE}/${version}/published`, program);
      files.set(`${STORE}/${version}/published.sha256`, `${sum}  published\n`);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
