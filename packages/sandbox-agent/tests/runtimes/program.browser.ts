// The program for a page. `finished` notifies the harness when it is done.

import { work } from "./program.ts";
import { webSuites } from "./suites.ts";

const harness = new URL(location.href).searchParams.get("harness") ?? "";
Object.assign(globalThis, { finished: work(harness, webSuites) });
