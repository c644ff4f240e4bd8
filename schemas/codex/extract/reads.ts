// The parts of the app-server's messages that the Codex adapter reads and writes. The names of the types are those of
// `sa-codex`'s `native` module; a member that is added there is added here.

import type { Shape } from '../../lib/trim.js';

const item = (shape: { readonly [name: string]: Shape } = {}): Shape => ({ 'type!': true, 'id!': true, ...shape });

/** Items, by their `type`. */
export const ITEMS: Record<string, Shape> = {
  userMessage: item({ 'content!': [{ 'type!': true, text: true, url: true }] }),
  agentMessage: item({ 'text!': true }),
  reasoning: item({ summary: [true], content: [true] }),
  plan: item({ 'text!': true }),
  commandExecution: item({
    command: true,
    cwd: true,
    status: true,
    commandActions: [{ 'type!': true, path: true, query: true }],
    aggregatedOutput: true,
    exitCode: true,
    durationMs: true,
  }),
  fileChange: item({ changes: [{ 'path!': true, kind: { 'type!': true, move_path: true }, 'diff!': true }], status: true }),
  mcpToolCall: item({
    'server!': true,
    'tool!': true,
    arguments: true,
    status: true,
    result: { content: [true], structuredContent: true },
    error: { message: true },
  }),
  webSearch: item({ query: true, action: true }),
  imageView: item({ path: true }),
  contextCompaction: item(),
  collabAgentToolCall: item({ tool: true, status: true, prompt: true, receiverThreadIds: [true], agentsStates: true }),
  subAgentActivity: item({ agentPath: true, 'agentThreadId!': true, 'kind!': true }),
  enteredReviewMode: item(),
  exitedReviewMode: item({ review: true }),
  hookPrompt: item(),
};

// Which items a turn has is held against `ITEMS`, one by one.
const anyItem: Shape = { 'type!': true, 'id!': true };
const error: Shape = { message: true, codexErrorInfo: true, additionalDetails: true };
const turn: Shape = { 'id!': true, items: [anyItem], status: true, error };
const thread: Shape = {
  'id!': true,
  parentThreadId: true,
  preview: true,
  name: true,
  cwd: true,
  updatedAt: true,
  turns: [turn],
};
const delta: Shape = { 'threadId!': true, 'itemId!': true, 'delta!': true };
const tokens: Shape = {
  totalTokens: true,
  inputTokens: true,
  cachedInputTokens: true,
  outputTokens: true,
  reasoningOutputTokens: true,
};

/** Notifications of the app-server, by method. */
export const NOTIFICATIONS: Record<string, Shape> = {
  'thread/started': { 'thread!': { 'id!': true, parentThreadId: true } },
  'thread/status/changed': { 'threadId!': true, 'status!': { 'type!': true } },
  'thread/name/updated': { 'threadId!': true, threadName: true },
  'thread/tokenUsage/updated': {
    'threadId!': true,
    turnId: true,
    'tokenUsage!': { total: tokens, last: tokens, modelContextWindow: true },
  },
  'turn/started': { 'threadId!': true, 'turn!': turn },
  'turn/completed': { 'threadId!': true, 'turn!': turn },
  'turn/plan/updated': { 'threadId!': true, plan: [{ 'step!': true, status: true }] },
  'item/started': { 'threadId!': true, 'item!': anyItem },
  'item/completed': { 'threadId!': true, 'item!': anyItem },
  'item/agentMessage/delta': delta,
  'item/plan/delta': delta,
  'item/reasoning/summaryTextDelta': delta,
  'item/reasoning/textDelta': delta,
  'item/reasoning/summaryPartAdded': { 'threadId!': true, 'itemId!': true, summaryIndex: true },
  'item/commandExecution/outputDelta': delta,
  'item/mcpToolCall/progress': { 'threadId!': true, 'itemId!': true, message: true },
  error: { 'threadId!': true, turnId: true, 'error!': error, willRetry: true },
  'mcpServer/startupStatus/updated': { threadId: true, 'name!': true, status: true, error: true },
  'serverRequest/resolved': { 'threadId!': true, 'requestId!': true },
  'account/login/completed': { success: true, error: true },
};

const asked = { 'threadId!': true, itemId: true } as const;

/** Requests of the app-server, by method. */
export const REQUESTS: Record<string, Shape> = {
  'item/commandExecution/requestApproval': {
    ...asked,
    command: true,
    cwd: true,
    commandActions: [{ 'type!': true, path: true, query: true }],
    reason: true,
    networkApprovalContext: true,
  },
  'item/fileChange/requestApproval': { 'threadId!': true, 'itemId!': true, reason: true },
  'item/tool/requestUserInput': {
    ...asked,
    'questions!': [
      {
        'id!': true,
        header: true,
        'question!': true,
        isOther: true,
        isSecret: true,
        options: [{ 'label!': true, description: true }],
      },
    ],
  },
  'mcpServer/elicitation/request': {
    'threadId!': true,
    serverName: true,
    mode: true,
    message: true,
    requestedSchema: true,
    url: true,
    elicitationId: true,
    _meta: true,
  },
  'item/permissions/requestApproval': { ...asked, 'permissions!': true, reason: true },
};

const opened: Shape = { 'thread!': thread, model: true, reasoningEffort: true };

/** Responses of the app-server, by the method of the request; `type` is the vendor's name for it. */
export const ANSWERS: Record<string, { type: string; shape: Shape }> = {
  initialize: { type: 'v1/InitializeResponse', shape: { 'userAgent!': true } },
  'account/read': { type: 'v2/GetAccountResponse', shape: { account: true, requiresOpenaiAuth: true } },
  'command/exec': { type: 'v2/CommandExecResponse', shape: { 'exitCode!': true, stderr: true } },
  'model/list': {
    type: 'v2/ModelListResponse',
    shape: {
      'data!': [
        {
          'id!': true,
          displayName: true,
          description: true,
          hidden: true,
          defaultReasoningEffort: true,
          supportedReasoningEfforts: [{ 'reasoningEffort!': true, description: true }],
        },
      ],
    },
  },
  'review/start': { type: 'v2/ReviewStartResponse', shape: { 'turn!': turn } },
  'skills/list': {
    type: 'v2/SkillsListResponse',
    shape: { 'data!': [{ 'skills!': [{ 'name!': true, description: true, 'path!': true, enabled: true }] }] },
  },
  'thread/fork': { type: 'v2/ThreadForkResponse', shape: opened },
  'thread/list': { type: 'v2/ThreadListResponse', shape: { 'data!': [thread], nextCursor: true } },
  'thread/read': { type: 'v2/ThreadReadResponse', shape: { 'thread!': thread } },
  'thread/resume': { type: 'v2/ThreadResumeResponse', shape: opened },
  'thread/start': { type: 'v2/ThreadStartResponse', shape: opened },
  'turn/start': { type: 'v2/TurnStartResponse', shape: { 'turn!': turn } },
};

const ofThread: Shape = { 'threadId!': true };
const opening = { 'cwd!': true, model: true, approvalPolicy: true, sandbox: true, config: true } as const;

/** Requests of the adapter, by method. */
export const CALLS: Record<string, Shape> = {
  initialize: {
    'clientInfo!': { 'name!': true, title: true, 'version!': true },
    capabilities: { experimentalApi: true, optOutNotificationMethods: [true] },
  },
  'account/login/start': { 'type!': true, apiKey: true },
  'account/read': {},
  'command/exec': { 'command!': [true], cwd: true, sandboxPolicy: { 'type!': true }, timeoutMs: true },
  'model/list': { limit: true, includeHidden: true },
  'review/start': { ...ofThread, 'target!': { 'type!': true, instructions: true }, delivery: true },
  'skills/list': { cwds: [true], forceReload: true },
  'thread/archive': ofThread,
  'thread/backgroundTerminals/clean': ofThread,
  'thread/compact/start': ofThread,
  'thread/delete': ofThread,
  'thread/fork': { ...ofThread, ...opening },
  'thread/list': { limit: true, cursor: true, cwd: true },
  'thread/read': { ...ofThread, includeTurns: true },
  'thread/resume': { ...ofThread, ...opening },
  'thread/start': opening,
  'thread/unsubscribe': ofThread,
  'turn/interrupt': { ...ofThread, 'turnId!': true },
  'turn/start': {
    ...ofThread,
    'input!': [{ 'type!': true, text: true, url: true, name: true, path: true }],
    cwd: true,
    approvalPolicy: true,
    sandboxPolicy: { 'type!': true, writableRoots: [true] },
    model: true,
    effort: true,
    summary: true,
    collaborationMode: {
      'mode!': true,
      'settings!': { 'model!': true, reasoning_effort: true, developer_instructions: true },
    },
  },
};
