"use client";
// `@sandbox-agent/react`: hooks and unstyled components.

export type { Connection, Loading } from "sandbox-agent/stores";
export {
  SandboxAgentProvider,
  type SandboxAgentProviderProps,
  useSandboxAgent,
  useStores,
} from "./provider.tsx";
export { type Follow, useFollow } from "./use-follow.ts";
export { type SessionResult, useSession } from "./use-session.ts";
export { type SessionsResult, useSessions } from "./use-sessions.ts";
export { useStore } from "./use-store.ts";
export { type TranscriptResult, useTranscript } from "./use-transcript.ts";
