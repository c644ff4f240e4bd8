// The parts of the CLI's lines that the Amp adapter reads. The names of the types are those of `sa-amp`'s `native` module; a
// member that is added there is added here.

import type { Shape } from '../../lib/trim.js';

const tokens: Shape = {
  input_tokens: true,
  output_tokens: true,
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  'max_tokens?': true,
};

/** Lines of the CLI, by `type` or `type/subtype`. */
export const LINES: Record<string, Shape> = {
  'system/init': { mcp_servers: [{ 'name!': true, 'status!': true }] },
  user: {
    'message!': { content: [{ 'type!': true, text: true, tool_use_id: true, content: true, is_error: true }] },
    parent_tool_use_id: true,
  },
  assistant: {
    'message!': {
      content: [{ 'type!': true, text: true, 'thinking?': true, id: true, name: true, input: true }],
      stop_reason: true,
      usage: tokens,
    },
    parent_tool_use_id: true,
  },
  'result/success': { is_error: true },
  'result/error_during_execution': { is_error: true, error: true },
  'result/error_max_turns': { is_error: true, error: true },
};
