// Fakes of sandbox providers. Only the network is faked: the SDKs are the real ones, and the daemon really runs.

export { freePort } from "../free-port.ts";
export { FakeCloudflare } from "./cloudflare.ts";
export { FakeDaytona } from "./daytona.ts";
export { FakeDocker } from "./docker.ts";
export { E2B_DOMAIN, FakeE2b } from "./e2b.ts";
export { FakeKubernetes } from "./kubernetes.ts";
export { FakeMachine, type RunResult } from "./machine.ts";
export { FakeModal, MODAL_DOMAIN } from "./modal.ts";
export { routeNames } from "./names.ts";
export { smallProgram } from "./program.ts";
export { FakeProvider, type FakeStep } from "./provider.ts";
export { FakeVercel } from "./vercel.ts";
