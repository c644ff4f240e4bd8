"use client";
// `@sandbox-agent/react`: hooks and unstyled components.

export type { Connection, Loading } from "sandbox-agent/stores";
export { Composer, type ComposerProps } from "./components/composer.tsx";
export { PermissionCard, type PermissionCardProps } from "./components/permission-card.tsx";
export { PlanCard, type PlanCardProps } from "./components/plan-card.tsx";
export { QuestionForm, type QuestionFormProps } from "./components/question-form.tsx";
export { type ItemSlots, Transcript, type TranscriptProps } from "./components/transcript.tsx";
export type { PartSlots } from "./components/transcript-parts.tsx";
export {
  SandboxAgentProvider,
  type SandboxAgentProviderProps,
  useSandboxAgent,
  useStores,
} from "./provider.tsx";
export { type Follow, useFollow } from "./use-follow.ts";
export {
  type AgentsResult,
  type FilesResult,
  type ProcessesResult,
  type TerminalResult,
  useAgents,
  useFiles,
  useProcesses,
  useTerminal,
} from "./use-resources.ts";
export { type SessionResult, useSession } from "./use-session.ts";
export { type SessionsResult, useSessions } from "./use-sessions.ts";
export { useStore } from "./use-store.ts";
export { type TranscriptResult, useTranscript } from "./use-transcript.ts";
