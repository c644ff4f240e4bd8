// The program for workerd: a request starts it, and is answered when it is done.

import { work } from "./program.ts";
import { webSuites } from "./suites.ts";

export default {
  async fetch(request: Request): Promise<Response> {
    await work(new URL(request.url).searchParams.get("harness") ?? "", webSuites);
    return new Response("finished");
  },
};
