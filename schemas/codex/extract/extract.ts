// Derives `schemas/codex/app-server.schema.json`. With `--check` nothing is written; a stale file is an error.

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Artifact, check, write } from '../../lib/artifact.js';
import type { Definitions } from '../../lib/schema.js';
import { valuesOf } from '../../lib/schema.js';
import { Missing, type Shape, type Trimmed, trim } from '../../lib/trim.js';
import { type Protocol, generate } from './generate.js';
import { ANSWERS, CALLS, ITEMS, NOTIFICATIONS, REQUESTS } from './reads.js';

// This file runs as `extract/build/codex/extract/extract.js`.
const extract = join(dirname(fileURLToPath(import.meta.url)), '../../..');

async function messages(protocol: Protocol, type: string, prefix: string, shapes: Record<string, Shape>) {
  const { definitions, byMethod } = await protocol.params(type);
  const derived: Record<string, Trimmed> = {};
  for (const [method, shape] of Object.entries(shapes)) {
    const name = `${prefix}/${method}`;
    const params = byMethod.get(method);
    if (params === undefined) throw new Missing(name);
    derived[name] = trim(definitions, params, shape, name);
  }
  return derived;
}

/** Each kind of item on its own: what one kind needs another does not have. */
function items(definitions: Definitions): Record<string, Trimmed> {
  const all = definitions.alternatives({ $ref: '#/definitions/ThreadItem' });
  const derived: Record<string, Trimmed> = {};
  for (const [kind, shape] of Object.entries(ITEMS)) {
    const members = all.filter((schema) => definitions.alternatives(schema.properties?.type).flatMap(valuesOf).includes(kind));
    derived[`item/${kind}`] = trim(definitions, { anyOf: members }, shape, `item/${kind}`);
  }
  return derived;
}

async function artifact(): Promise<Artifact> {
  const codex = join(extract, 'node_modules/@openai/codex');
  const about: { name: string; version: string } = JSON.parse(await readFile(join(codex, 'package.json'), 'utf8'));
  const protocol = await generate(join(codex, 'bin/codex.js'), join(extract, 'build/scratch'));
  const derived: Record<string, Trimmed> = {
    ...(await messages(protocol, 'ServerNotification', 'notification', NOTIFICATIONS)),
    ...(await messages(protocol, 'ServerRequest', 'request', REQUESTS)),
    ...(await messages(protocol, 'ClientRequest', 'call', CALLS)),
    ...items((await protocol.type('ServerNotification')).definitions),
  };
  for (const [method, { type, shape }] of Object.entries(ANSWERS)) {
    const { definitions, schema } = await protocol.type(type);
    derived[`answer/${method}`] = trim(definitions, schema, shape, `answer/${method}`);
  }
  return {
    directory: join(extract, '..'),
    file: 'app-server.schema.json',
    definitions: derived,
    origin: {
      title: "What is read and written of Codex's app-server protocol",
      source: `npm package ${about.name} ${about.version} (Apache-2.0)`,
      tool: '`codex app-server generate-json-schema --experimental` of that package',
      command: 'npm --prefix schemas/codex/extract run extract',
      notes: [
        'This holds only the names and types of members that `crates/sa-codex` reads or writes.',
        'One definition per notification, request and answer of the app-server (`notification/`, `request/`, `answer/` and the method), per kind of item (`item/`), and per request of ours (`call/`).',
        'Used by: `crates/sa-codex/tests/schema.rs`, which holds recorded messages of the CLI against it, and `crates/sa-codex/tests/codex`, which holds what the adapter writes against it.',
      ],
    },
  };
}

const derived = await artifact();
await (process.argv.includes('--check') ? check(derived) : write(derived));
