// Lists that are read again: a view that leaves and comes back at once has its list.

import { expect, test } from "vitest";
import { Polling } from "../../src/stores/polling.ts";

test("a run reads on its own, even while the aborted request of the one before has not settled", async () => {
  const requests: AbortSignal[] = [];
  const settle: (() => void)[] = [];
  const polling = new Polling(0, (signal) => {
    requests.push(signal);
    return new Promise((done) => settle.push(done));
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const before = polling.run(first.signal);
  first.abort();
  const after = polling.run(second.signal);
  expect(requests).toEqual([first.signal, second.signal]);
  second.abort();
  for (const done of settle) done();
  await Promise.all([before, after]);
});
