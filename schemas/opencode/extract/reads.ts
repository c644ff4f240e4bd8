// The parts of the server's events and responses that the OpenCode adapter reads, and its requests. The names of the types are those of
// `sa-opencode`'s `native` module; a member that is added there is added here.

import type { Shape } from '../../lib/trim.js';

const part = (shape: { readonly [name: string]: Shape } = {}): Shape => ({ 'id!': true, 'messageID!': true, 'type!': true, ...shape });

/** Parts of messages, by their `type`. */
export const PARTS: Record<string, Shape> = {
  text: part({ 'text!': true, synthetic: true, ignored: true }),
  reasoning: part({ 'text!': true }),
  file: part({ 'url!': true, filename: true }),
  tool: part({
    'tool!': true,
    'callID!': true,
    'state!': { 'status!': true, input: true, output: true, error: true, metadata: true, attachments: [{ url: true, filename: true }] },
  }),
  compaction: part(),
};

// Which parts a message has is held against `PARTS`, one by one.
const anyPart: Shape = { 'id!': true, 'messageID!': true, 'type!': true };
const failure: Shape = { 'name!': true, data: { message: true, statusCode: true, responseBody: true } };
const message: Shape = {
  'id!': true,
  'role!': true,
  summary: true,
  cost: true,
  tokens: { input: true, output: true, reasoning: true, cache: { read: true, write: true } },
  error: failure,
  finish: true,
};
const whole: Shape = { 'info!': message, parts: [anyPart] };
const info: Shape = {
  'id!': true,
  directory: true,
  parentID: true,
  title: true,
  cost: true,
  agent: true,
  model: { 'providerID!': true, 'id!': true },
  time: { updated: true },
};
const rules: Shape = [{ 'permission!': true, 'pattern!': true, 'action!': true }];
const permission: Shape = {
  'id!': true,
  'sessionID!': true,
  permission: true,
  patterns: [true],
  always: [true],
  metadata: true,
  tool: { callID: true },
};
const questions: Shape = {
  'id!': true,
  'sessionID!': true,
  questions: [
    {
      question: true,
      header: true,
      options: [{ 'label!': true, description: true }],
      multiple: true,
      custom: true,
    },
  ],
  tool: { callID: true },
};
const resolved: Shape = { 'sessionID!': true, 'requestID!': true };

/** Events of the server, by type. */
export const EVENTS: Record<string, Shape> = {
  'session.created': { 'sessionID!': true, 'info!': info },
  'session.updated': { 'sessionID!': true, 'info!': info },
  'session.status': { 'sessionID!': true, 'status!': { 'type!': true, attempt: true, message: true, next: true } },
  'session.error': { sessionID: true, error: failure },
  'session.compacted': { 'sessionID!': true },
  'message.updated': { 'sessionID!': true, 'info!': message },
  'message.part.updated': { 'sessionID!': true, 'part!': anyPart },
  'message.part.delta': { 'sessionID!': true, 'partID!': true, 'field!': true, 'delta!': true },
  'todo.updated': { 'sessionID!': true, 'todos!': [{ 'content!': true, status: true, priority: true }] },
  'permission.asked': permission,
  'permission.replied': resolved,
  'question.asked': questions,
  'question.replied': resolved,
  'question.rejected': resolved,
  'mcp.tools.changed': {},
};

/** Responses of the server, by request. */
export const ANSWERS: Record<string, Shape> = {
  'GET /agent': [
    {
      'name!': true,
      description: true,
      mode: true,
      hidden: true,
      permission: rules,
      model: { 'providerID!': true, 'modelID!': true },
      variant: true,
    },
  ],
  'GET /command': [{ 'name!': true, description: true, hints: [true] }],
  'GET /config': { model: true, default_agent: true },
  'GET /config/providers': {
    providers: [
      {
        'id!': true,
        name: true,
        key: true,
        models: { '*': { 'id!': true, name: true, limit: { context: true }, variants: { '*': true } } },
      },
    ],
    default: { '*': true },
  },
  'GET /experimental/session': [info],
  'GET /global/health': { version: true },
  'GET /permission': [permission],
  'GET /question': [questions],
  'GET /session/{sessionID}': info,
  'GET /session/{sessionID}/message': [whole],
  'POST /mcp': { '*': { 'status!': true, error: true } },
  'POST /session': info,
  'POST /session/{sessionID}/command': whole,
  'POST /session/{sessionID}/fork': info,
  'POST /session/{sessionID}/message': whole,
};

/** The parts of an error response that are read, for every request. */
export const REFUSAL: Shape = { data: { message: true }, message: true };

const here: Shape = { directory: true };
const file = { 'type!': true, 'mime!': true, filename: true, 'url!': true } as const;

/** Requests of the adapter. */
export const CALLS: Record<string, Shape> = {
  'DELETE /session/{sessionID}': { query: here },
  'GET /agent': { query: here },
  'GET /command': { query: here },
  'GET /config': { query: here },
  'GET /config/providers': { query: here },
  'GET /experimental/session': { query: { directory: true, roots: true, limit: true, cursor: true } },
  'GET /global/event': {},
  'GET /global/health': {},
  'GET /permission': { query: here },
  'GET /question': { query: here },
  'GET /session/{sessionID}': { query: here },
  'GET /session/{sessionID}/message': { query: here },
  'PATCH /session/{sessionID}': { query: here, 'body!': { 'permission!': rules } },
  'POST /mcp': {
    query: here,
    'body!': {
      'name!': true,
      'config!': {
        'type!': true,
        command: [true],
        environment: { '*': true },
        url: true,
        headers: { '*': true },
        oauth: true,
        enabled: true,
        timeout: true,
      },
    },
  },
  'POST /mcp/{name}/disconnect': { query: here },
  'POST /permission/{requestID}/reply': { query: here, 'body!': { 'reply!': true, message: true } },
  'POST /question/{requestID}/reject': { query: here },
  'POST /question/{requestID}/reply': { query: here, 'body!': { 'answers!': [[true]] } },
  'POST /session': { query: here, 'body!': { 'permission!': rules } },
  'POST /session/{sessionID}/abort': { query: here },
  'POST /session/{sessionID}/command': {
    query: here,
    'body!': { 'command!': true, 'arguments!': true, agent: true, model: true, variant: true, parts: [file] },
  },
  'POST /session/{sessionID}/fork': { query: here, 'body!': {} },
  'POST /session/{sessionID}/message': {
    query: here,
    'body!': {
      agent: true,
      model: { 'providerID!': true, 'modelID!': true },
      variant: true,
      'parts!': [{ 'type!': true, text: true, mime: true, filename: true, url: true }],
    },
  },
  'POST /session/{sessionID}/summarize': { query: here, 'body!': { 'providerID!': true, 'modelID!': true, auto: true } },
};
