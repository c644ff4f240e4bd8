// A port of loopback for a server that cannot choose one itself.

import { once } from "node:events";
import { createServer } from "node:net";

/** Ports that systems give nobody by themselves: those are above 32768. */
const FIRST = 16_384;
const LAST = 32_767;

/** Returns a free port. Between this and the server's start, no connection and no server without a port can take it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
