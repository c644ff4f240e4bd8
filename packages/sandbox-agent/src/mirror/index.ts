// `sandbox-agent/mirror`: keeps sessions outside of their sandboxes.

export type { PersistDriver } from "../persist/driver.ts";
