// The Worker: POST /chat/<visitor> with a prompt as the body.

import { getSandbox, Sandbox } from "@cloudflare/sandbox";
import { cloudflare } from "sandbox-agent/cloudflare";
import { chat } from "./chat.ts";

// The binding needs the class.
export { Sandbox };

interface Env {
  Sandbox: Parameters<typeof getSandbox<Sandbox>>[0];
  /** Secret that the tokens of the daemons are derived from: wrangler secret put TOKEN_SECRET */
  TOKEN_SECRET: string;
  ANTHROPIC_API_KEY: string;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const id = /^\/chat\/([a-z0-9-]{1,40})$/.exec(new URL(request.url).pathname)?.[1];
    if (id === undefined || request.method !== "POST") return new Response("not found", { status: 404 });
    const provider = cloudflare({
      sandbox: (one) => getSandbox(env.Sandbox, one),
      program: { installed: "sandbox-agent" },
      env: { ANTHROPIC_API_KEY: env.ANTHROPIC_API_KEY },
    });
    const token = await tokenOf(id, env.TOKEN_SECRET);
    return chat(provider, { id, token }, "claude", await request.text());
  },
};

/** Returns the same token for the same visitor every time. */
async function tokenOf(id: string, secret: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${secret}:${id}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
