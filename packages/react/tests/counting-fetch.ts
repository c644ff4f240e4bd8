// A `fetch` that counts what is open, and that can break connections.

export interface CountingFetch {
  fetch: typeof fetch;
  /** Requests whose answer has not been read to its end, by path. */
  open(): string[];
  /** All requests so far, by method and path. */
  requests: string[];
  /** Breaks the streams that are open. */
  cut(): void;
}

export function countingFetch(): CountingFetch {
  const open = new Map<number, string>();
  const streams = new Set<AbortController>();
  const requests: string[] = [];
  let count = 0;
  const send: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    const id = count;
    count += 1;
    requests.push(`${init?.method ?? "GET"} ${pathname}`);
    open.set(id, pathname);
    const close = (): void => void open.delete(id);
    const cutter = new AbortController();
    const signal = init?.signal == null ? cutter.signal : AbortSignal.any([init.signal, cutter.signal]);
    signal.addEventListener("abort", close);
    try {
      const response = await fetch(input, { ...init, signal });
      const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
      if (response.body === null) {
        close();
        return response;
      }
      if (isStream) streams.add(cutter);
      return new Response(watched(response.body, close), response);
    } catch (error) {
      close();
      throw error;
    }
  };
  const cut = (): void => {
    for (const stream of streams) stream.abort(new TypeError("connection reset"));
    streams.clear();
  };
  return { fetch: send, open: () => [...open.values()], requests, cut };
}

/** Passes a body on and reports its end. */
function watched(body: ReadableStream<Uint8Array>, close: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        close();
        controller.close();
      } catch (error) {
        close();
        controller.error(error);
      }
    },
    async cancel(reason) {
      close();
      await reader.cancel(reason);
    },
  });
}
