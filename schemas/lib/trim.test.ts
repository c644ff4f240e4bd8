// Trimming keeps what is read and drops the rest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Definitions, type Schema } from './schema.js';
import { Missing, type Shape, trim } from './trim.js';

const definitions = new Definitions({
  definitions: {
    Block: {
      anyOf: [
        { type: 'object', properties: { type: { const: 'text' }, text: { type: 'string' } } },
        { type: 'object', properties: { type: { const: 'tool' }, input: {} } },
        { type: 'object', properties: { type: { const: 'list' }, blocks: { type: 'array', items: { $ref: '#/definitions/Block' } } } },
      ],
    },
    Mode: { type: 'string', enum: ['plan', 'auto'] },
  },
});

const line: Schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    mode: { $ref: '#/definitions/Mode' },
    count: { type: ['integer', 'number'] },
    content: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/definitions/Block' } }] },
    usage: { type: 'object', additionalProperties: { type: 'object', properties: { window: { type: 'number' } } } },
    one: {
      properties: { all: { type: 'string' } },
      oneOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'object', properties: { b: { type: 'string' } } }],
    },
    both: { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'object', properties: { b: { type: 'null' } } }] },
    unread: { type: 'string' },
  },
};

const cut = (shape: Shape) => trim(definitions, line, shape, 'line');

test('only what is read stays, and only what is needed is required', () => {
  assert.deepEqual(cut({ 'id!': true, count: true }), {
    type: 'object',
    properties: { id: { type: 'string' }, count: { type: ['null', 'number'] } },
    required: ['id'],
  });
});

test('named values are known, not enforced', () => {
  assert.deepEqual(cut({ mode: true }).properties, { mode: { type: ['null', 'string'], 'x-known': ['auto', 'plan'] } });
});

test('members of all alternatives are found', () => {
  const items = cut({ content: [{ 'type!': true, text: true, input: true }] }).properties?.content;
  assert.deepEqual(items, {
    type: ['array', 'null', 'string'],
    items: {
      type: 'object',
      properties: { type: { type: 'string', 'x-known': ['list', 'text', 'tool'] }, text: { type: ['null', 'string'] }, input: {} },
      required: ['type'],
    },
  });
});

test('members beside a union are in all of it', () => {
  assert.deepEqual(cut({ one: { 'all!': true, a: true, b: true } }).properties?.one, {
    type: ['null', 'object'],
    properties: { all: { type: 'string' }, a: { type: ['null', 'string'] }, b: { type: ['null', 'string'] } },
    required: ['all'],
  });
});

test('maps, intersections and types that hold themselves', () => {
  assert.deepEqual(cut({ usage: { '*': { window: true } } }).properties?.usage?.additionalProperties, {
    type: ['null', 'object'],
    properties: { window: { type: ['null', 'number'] } },
  });
  assert.deepEqual(cut({ both: { a: true, b: true } }).properties?.both?.properties, {
    a: { type: ['null', 'string'] },
    b: { type: 'null' },
  });
  assert.deepEqual(cut({ content: [{ blocks: true }] }).properties?.content?.items?.properties, {
    blocks: { type: ['array', 'null'] },
  });
});

test('what is read but not declared is an error that says where', () => {
  assert.throws(() => cut({ content: [{ gone: true }] }), new Missing('line.content[].gone'));
  assert.throws(() => cut({ gone: true }), Missing);
  assert.deepEqual(cut({ 'gone?': true }).properties, { gone: {} });
});
