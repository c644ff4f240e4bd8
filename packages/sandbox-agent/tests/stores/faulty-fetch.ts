// A `fetch` whose connections break where a test wants them to.

/** The fate of one request. `cut` ends its body after this many bytes, without a word or with an error. */
export type Fault =
  | { readonly kind: "none" }
  | { readonly kind: "refuse" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "cut"; readonly bytes: number; readonly how: "end" | "reset" };

/** Returns a `fetch` that meets these faults, one for each request, and none afterwards. */
export function faultyFetch(faults: readonly Fault[]): typeof fetch {
  let count = 0;
  return async (input, init) => {
    const fault = faults[count] ?? { kind: "none" };
    count += 1;
    if (fault.kind === "refuse")
      throw new TypeError("fetch failed", { cause: new Error("connection refused") });
    if (fault.kind === "unavailable") return new Response("<h1>Bad gateway</h1>", { status: 502 });
    const response = await fetch(input, init);
    if (fault.kind === "none" || response.body === null) return response;
    const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
    return isStream ? new Response(response.body.pipeThrough(cutter(fault)), response) : response;
  };
}

function cutter({ bytes, how }: Extract<Fault, { kind: "cut" }>): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0) return;
      if (how === "end") controller.terminate();
      else controller.error(new TypeError("connection reset"));
    },
  });
}
