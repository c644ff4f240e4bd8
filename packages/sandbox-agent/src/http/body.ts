// Bodies of requests and answers that are too large for memory.

import type { Deadline } from "./deadline.ts";

/** Returns the options of `fetch` for a body. */
export async function uploadBody(body: BodyInit): Promise<RequestInit> {
  if (!(body instanceof ReadableStream)) return { body };
  // Browsers stream uploads over HTTP/2 only, or not at all. A blob may be on disk there.
  if (globalThis.location !== undefined) return { body: await new Response(body).blob() };
  return { body, ...{ duplex: "half" } };
}

/** Returns the body of an answer. Reading it fails with our errors; each wait for a part of it has the time limit. */
export function guardBody(response: Response, deadline: Deadline, what: string): ReadableStream<Uint8Array> {
  deadline.stopTimer();
  const reader = response.body?.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      deadline.startTimer();
      try {
        const step = await reader?.read();
        deadline.stopTimer();
        if (step?.value !== undefined) {
          controller.enqueue(step.value);
          return;
        }
        deadline.release();
        controller.close();
      } catch (error) {
        deadline.release();
        controller.error(deadline.explain(error, what));
      }
    },
    async cancel(reason) {
      deadline.release();
      await reader?.cancel(reason);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
