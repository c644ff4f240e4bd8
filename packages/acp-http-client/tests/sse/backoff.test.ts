// Delays between attempts.

import { Backoff, parseRetryAfter, sleep } from "acp-http-client/sse";
import { expect, test } from "vitest";

test("the bound doubles up to the maximum, and a reset starts again", () => {
  const backoff = new Backoff({ initialMs: 100, maxMs: 1000 }, () => 1);
  const delays = Array.from({ length: 6 }, () => backoff.next());
  expect(delays).toEqual([100, 200, 400, 800, 1000, 1000]);
  backoff.reset();
  expect(backoff.next()).toBe(100);
});

test("the jitter is full", () => {
  const randoms = [0, 0.5, 0.25];
  const backoff = new Backoff({}, () => randoms.shift() ?? 0);
  expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([0, 200, 200]);
});

test("attempts are counted in a row", () => {
  const backoff = new Backoff({ attempts: 2 }, () => 0);
  expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([0, 0, undefined]);
  backoff.reset();
  expect(backoff.next()).toBe(0);
  expect(new Backoff({ attempts: 0 }).next()).toBeUndefined();
});

test("the server's wait is added, up to five minutes", () => {
  const backoff = new Backoff({ initialMs: 10 }, () => 1);
  expect(backoff.next(5000)).toBe(5010);
  expect(backoff.next(Number.POSITIVE_INFINITY)).toBe(300_020);
});

test("thousands of failures keep the maximum", () => {
  const backoff = new Backoff({}, () => 1);
  for (let count = 0; count < 5000; count += 1) backoff.next();
  expect(backoff.next()).toBe(10_000);
});

test("Retry-After is seconds or a date", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(parseRetryAfter("3", now)).toBe(3000);
  expect(parseRetryAfter("Thu, 01 Jan 2026 00:00:07 GMT", now)).toBe(7000);
  expect(parseRetryAfter("Thu, 01 Jan 2025 00:00:07 GMT", now)).toBe(0);
  expect(parseRetryAfter("soon", now)).toBeUndefined();
  expect(parseRetryAfter(null, now)).toBeUndefined();
});

test("sleep ends with its signal", async () => {
  const controller = new AbortController();
  const asleep = sleep(1e12, controller.signal);
  controller.abort(new Error("wake up"));
  await expect(asleep).rejects.toThrow("wake up");
  await expect(sleep(1, controller.signal)).rejects.toThrow("wake up");
  await sleep(0, new AbortController().signal);
});
