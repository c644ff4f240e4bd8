// The Kubernetes client is made for Node 22. It runs on Node 20 if these exist, which the test needs and users do not.

import workers from "node:worker_threads";
import zlib from "node:zlib";

if (!("createZstdDecompress" in zlib)) Object.assign(zlib, { createZstdDecompress: () => {} });
if (!("markAsUncloneable" in workers)) Object.assign(workers, { markAsUncloneable: () => {} });
if (!("withResolvers" in Promise)) Object.assign(Promise, { withResolvers });

function withResolvers(): object {
  let resolve: unknown;
  let reject: unknown;
  const promise = new Promise((one, other) => {
    resolve = one;
    reject = other;
  });
  return { promise, resolve, reject };
}
