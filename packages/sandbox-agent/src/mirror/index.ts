// `sandbox-agent/mirror`: keeps sessions outside of their sandboxes, and brings them up in others.

export * from "./errors.ts";
export { type Mirror, type MirrorOptions, mirror } from "./mirror.ts";
export { type RestoreOptions, restore } from "./restore.ts";
