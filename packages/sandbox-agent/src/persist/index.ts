// `sandbox-agent/persist`: the interface of persist drivers, for writing one and for working with any.

export type * from "./driver.ts";
export * from "./errors.ts";
export { ensureRecord, storedEvents, updateRecord } from "./records.ts";
