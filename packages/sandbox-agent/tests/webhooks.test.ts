// Webhooks of the real daemon, verified by a receiver.

import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { startDaemon } from "@sandbox-agent/testkit";
import { SandboxAgent, verifyWebhook, type WebhookVerification } from "sandbox-agent";
import { expect, onTestFinished, test } from "vitest";

const SECRET = "a long random text";

interface Delivery {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Runs a session with a webhook to its end and returns what was delivered. */
async function deliveries(): Promise<{ received: Delivery[]; sessionId: string }> {
  const received: Delivery[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(204).end();
  });
  await new Promise<void>((listen) => receiver.listen(0, "127.0.0.1", listen));
  const daemon = await startDaemon();
  onTestFinished(async () => {
    await daemon.stop();
    receiver.close();
  });
  const client = await SandboxAgent.connect(daemon.connection);
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const session = await client.sessions.create({ agent: "demo", webhook: { url, secret: SECRET } });
  await session.send("say Grüße").done;
  const { lastEventId } = await session.terminate();
  while (((await session.refresh()).webhook?.deliveredEventId ?? 0) < lastEventId)
    await new Promise((resume) => setTimeout(resume, 20));
  return { received, sessionId: session.id };
}

test("deliveries of the daemon are genuine; those that were changed, kept or sent by others are not", async () => {
  const { received, sessionId } = await deliveries();
  const ids: number[] = [];
  for (const { headers, body } of received) {
    const result = await verifyWebhook({ secret: SECRET, headers, body });
    if (!result.valid) throw new Error(result.reason);
    expect(result.delivery.sessionId).toBe(sessionId);
    expect(result.deliveryId).toMatch(/^[0-9a-f-]{36}$/);
    ids.push(...result.delivery.events.map((event) => event.id));
  }
  expect(ids.length).toBeGreaterThan(3);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = received;
  const verdict = async (change: Partial<Parameters<typeof verifyWebhook>[0]>): Promise<string> => {
    const result = await verifyWebhook({ secret: SECRET, headers, body, ...change });
    return result.valid ? "valid" : result.reason;
  };
  const asHeaders = new Headers();
  for (const [name, value] of Object.entries(headers)) asHeaders.set(name, String(value));
  expect(await verdict({ headers: asHeaders, body: body.toString("utf8") })).toBe("valid");
  const capitals = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
  expect(await verdict({ headers: Object.fromEntries(capitals) })).toBe("valid");
  expect(await verdict({ secret: "another" })).toBe("forged");
  expect(await verdict({ body: Buffer.concat([body, Buffer.from(" ")]) })).toBe("forged");
  const sentAt = Number(headers["x-sandbox-agent-timestamp"]);
  const now = sentAt * 1_000;
  expect(await verdict({ now: now + 301_000 })).toBe("expired");
  expect(await verdict({ now: now - 301_000 })).toBe("expired");
  expect(await verdict({ now: now + 301_000, toleranceSeconds: 600 })).toBe("valid");
  expect(await verdict({ headers: {} })).toBe("unsigned");
  const shifted = { ...headers, "x-sandbox-agent-timestamp": String(sentAt - 5) };
  expect(await verdict({ headers: shifted })).toBe("forged");
  const strange = { ...headers, "x-sandbox-agent-signature": "v2=00" };
  expect(await verdict({ headers: strange })).toBe("unsigned");
});

test("the vector of the documentation holds, and a signed body that is no delivery is malformed", async () => {
  const vector = {
    secret: "whsec_test",
    headers: {
      "x-sandbox-agent-timestamp": "1700000000",
      "x-sandbox-agent-signature": "v1=38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789",
    },
    body: '{"a":1}',
    now: 1_700_000_000_000,
  };
  const malformed: WebhookVerification = { valid: false, reason: "malformed" };
  expect(await verifyWebhook(vector)).toEqual(malformed);
  expect(await verifyWebhook({ ...vector, body: '{"a":2}' })).toEqual({ valid: false, reason: "forged" });
  for (const body of ["", "null", "[]", "not JSON"]) {
    const digest = createHmac("sha256", "whsec_test").update(`1700000000.${body}`).digest("hex");
    const headers = { ...vector.headers, "x-sandbox-agent-signature": `v1=${digest}` };
    expect(await verifyWebhook({ ...vector, headers, body })).toEqual(malformed);
  }
});
