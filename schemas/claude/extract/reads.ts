// The parts of the CLI's lines that the Claude adapter reads. The names of the types are those of `sa-claude`'s `native`
// module and of its `tools`; a member that is added there is added here.

import type { Shape } from '../../lib/trim.js';

const tokens: Shape = {
  input_tokens: true,
  output_tokens: true,
  cache_read_input_tokens: true,
  cache_creation_input_tokens: true,
};

const task: Shape = { 'task_id!': true, tool_use_id: true };

const control: Shape = { 'request_id!': true };

/** Lines of the CLI, by `type` or `type/subtype`. */
export const LINES: Record<string, Shape> = {
  'system/init': { session_id: true, model: true, permissionMode: true, claude_code_version: true },
  'system/session_state_changed': { 'state!': true },
  'system/status': { status: true, permissionMode: true, compact_result: true, compact_error: true },
  'system/api_retry': { attempt: true, max_retries: true, retry_delay_ms: true, error_status: true, error: true },
  'system/permission_denied': { tool_use_id: true, message: true },
  'system/compact_boundary': { compact_metadata: { post_tokens: true } },
  'system/commands_changed': { 'commands!': [{ 'name!': true, description: true, argumentHint: true }] },
  'system/task_started': { ...task, description: true, task_type: true },
  'system/task_progress': { ...task, description: true },
  'system/task_updated': { 'task_id!': true },
  'system/task_notification': { ...task, status: true, summary: true, output_file: true },
  stream_event: {
    'event!': {
      'type!': true,
      index: true,
      message: { 'id!': true, model: true, usage: tokens },
      content_block: { 'type!': true, text: true, thinking: true, id: true, name: true, input: true },
      delta: { text: true, thinking: true },
      usage: tokens,
    },
    parent_tool_use_id: true,
  },
  assistant: {
    'message!': {
      'id!': true,
      model: true,
      stop_reason: true,
      content: [{ 'type!': true, text: true, thinking: true, id: true, name: true, input: true }],
    },
    parent_tool_use_id: true,
    error: true,
  },
  user: {
    'message!': { content: [{ 'type!': true, text: true, source: true, tool_use_id: true, is_error: true, content: true }] },
    parent_tool_use_id: true,
    uuid: true,
    isReplay: true,
    tool_use_result: true,
  },
  'result/success': {
    is_error: true,
    result: true,
    stop_reason: true,
    terminal_reason: true,
    api_error_status: true,
    usage: tokens,
    modelUsage: { '*': { contextWindow: true } },
    total_cost_usd: true,
    origin: { kind: true },
    user_message_uuids: [true],
  },
  'result/error_during_execution': { is_error: true, errors: [true], terminal_reason: true, usage: tokens, total_cost_usd: true },
  tool_progress: { tool_use_id: true, parent_tool_use_id: true, elapsed_time_seconds: true },
  control_request: {
    ...control,
    'request!': {
      'subtype!': true,
      tool_name: true,
      input: true,
      tool_use_id: true,
      permission_suggestions: [{ 'type!': true, rules: [{ toolName: true }], behavior: true }],
      decision_reason: true,
      suppress_always_allow_rule: true,
      mcp_server_name: true,
      message: true,
      mode: true,
      requested_schema: true,
      url: true,
      elicitation_id: true,
    },
  },
  control_cancel_request: control,
  control_response: { 'response!': { ...control, 'subtype!': true, response: true, error: true } },
};

/** Answers to requests of ours, by the request's `subtype`; `type` is in TypeScript, with the package's types in `sdk`. */
export const ANSWERS: Record<string, { type: string; shape: Shape }> = {
  initialize: {
    type: 'sdk.SDKControlInitializeResponse',
    shape: {
      commands: [{ 'name!': true, description: true, argumentHint: true }],
      models: [
        {
          'value!': true,
          resolvedModel: true,
          displayName: true,
          description: true,
          supportedEffortLevels: [true],
          supportsAutoMode: true,
        },
      ],
      account: { tokenSource: true, apiKeySource: true, subscriptionType: true, apiProvider: true },
      claude_code_version: true,
      'current_permission_mode?': true,
    },
  },
  mcp_status: {
    type: '{ mcpServers: sdk.McpServerStatus[] }',
    shape: { mcpServers: [{ 'name!': true, 'status!': true, error: true }] },
  },
};

/** Lines that the CLI writes though no type of the package declares them, with what was seen in them. */
export const UNDECLARED = {
  'system/session_title_changed': { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
};
