// `sandbox-agent/node`: runs the daemon as a child of a Node program.
/// <reference types="node" />

export { type BinaryOptions, findBinary } from "./binary.ts";
export { SpawnError, type SpawnErrorCode } from "./errors.ts";
export type { ProcessEnd, SpawnedSandboxAgent, SpawnOptions } from "./options.ts";
export { spawnSandboxAgent, spawnSandboxAgent as startEmbedded } from "./spawn.ts";
