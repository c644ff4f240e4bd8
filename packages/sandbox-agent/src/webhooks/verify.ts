// Checks that a delivery of a webhook comes from the daemon and is fresh.

import type { WebhookDelivery } from "../generated/openapi.gen.ts";

/** A delivery as it was received. */
export interface WebhookRequest {
  /** Secret of the webhook. */
  secret: string;
  /** Headers of the request: a `Headers` object, or an object with names in any case. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Body as it was received, before it is parsed. */
  body: string | Uint8Array | ArrayBuffer;
  /** Largest difference between the clocks in seconds, 300 by default. */
  toleranceSeconds?: number;
  /** Time in milliseconds since 1970; now by default. */
  now?: number;
}

/** Result of `verifyWebhook`. */
export type WebhookVerification =
  | {
      valid: true;
      delivery: WebhookDelivery;
      /** Id of the delivery. It stays the same while the daemon tries again. */
      deliveryId: string;
    }
  | {
      valid: false;
      /**
       * `unsigned`: a header is missing or malformed. `expired`: the timestamp is out of the tolerance. `forged`: the
       * signature is not that of the secret. `malformed`: the body is not a delivery.
       */
      reason: "unsigned" | "expired" | "forged" | "malformed";
    };

/**
 * Verifies the signature of a delivery in constant time and parses it. Works wherever Web Crypto does.
 *
 * @example
 * const result = await verifyWebhook({ secret, headers: request.headers, body: await request.text() });
 * if (!result.valid) return new Response(result.reason, { status: 400 });
 * for (const event of result.delivery.events) handle(event);
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookVerification> {
  const { secret, headers, toleranceSeconds = 300, now = Date.now() } = request;
  const timestamp = header(headers, "x-sandbox-agent-timestamp") ?? "";
  const signature = /^v1=([0-9a-f]{64})$/.exec(header(headers, "x-sandbox-agent-signature") ?? "")?.[1];
  if (signature === undefined || !/^\d{1,15}$/.test(timestamp)) return { valid: false, reason: "unsigned" };
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) return { valid: false, reason: "expired" };
  const body = bytesOf(request.body);
  const prefix = bytesOf(`${timestamp}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const key = await crypto.subtle.importKey(
    "raw",
    bytesOf(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  // `verify` compares in constant time.
  const digest = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  if (!(await crypto.subtle.verify("HMAC", key, digest, signed))) return { valid: false, reason: "forged" };
  const delivery = parse(new TextDecoder().decode(body));
  if (delivery === undefined) return { valid: false, reason: "malformed" };
  return { valid: true, delivery, deliveryId: header(headers, "x-sandbox-agent-delivery") ?? "" };
}

function header(headers: WebhookRequest["headers"], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name) return typeof value === "string" ? value : value?.[0];
  }
  return undefined;
}

function bytesOf(value: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  return typeof value === "string" ? new TextEncoder().encode(value) : new Uint8Array(value);
}

function parse(text: string): WebhookDelivery | undefined {
  try {
    const value = JSON.parse(text) as Partial<WebhookDelivery> | null;
    return typeof value?.sessionId === "string" && Array.isArray(value.events)
      ? (value as WebhookDelivery)
      : undefined;
  } catch {
    return undefined;
  }
}
