// Derives `schemas/opencode/server.schema.json`. With `--check` nothing is written; a stale file is an error.

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Artifact, check, write } from '../../lib/artifact.js';
import { type Schema, valuesOf } from '../../lib/schema.js';
import { Missing, type Shape, type Trimmed, trim } from '../../lib/trim.js';
import { type Interface, generate } from './generate.js';
import { ANSWERS, CALLS, EVENTS, PARTS, REFUSAL } from './reads.js';

// This file runs as `extract/build/opencode/extract/extract.js`.
const extract = join(dirname(fileURLToPath(import.meta.url)), '../../..');

type Find = (name: string) => Schema | boolean | undefined;

/** One definition for each shape, from what the server declares under its name. */
function all({ definitions }: Interface, prefix: string, shapes: Record<string, Shape>, find: Find): Record<string, Trimmed> {
  const derived: Record<string, Trimmed> = {};
  for (const [key, shape] of Object.entries(shapes)) {
    const name = `${prefix}/${key}`;
    const schema = find(key);
    if (schema === undefined) throw new Missing(name);
    derived[name] = trim(definitions, schema, shape, name);
  }
  return derived;
}

/** Each kind of part on its own: what one kind needs another does not have. */
function parts(server: Interface): Record<string, Trimmed> {
  const { definitions } = server;
  const known = definitions.alternatives({ $ref: '#/definitions/Part' });
  const isOf = (kind: string) => (schema: Schema) => definitions.alternatives(schema.properties?.type).flatMap(valuesOf).includes(kind);
  return all(server, 'part', PARTS, (kind) => ({ anyOf: known.filter(isOf(kind)) }));
}

/** Answers that refuse are read in one way, so that what any of them declares is enough. */
function refusal(server: Interface): Trimmed {
  const declared = Object.keys(CALLS).flatMap((name) => ['400', '404'].flatMap((status) => server.answer(name, status) ?? []));
  return trim(server.definitions, { anyOf: declared }, REFUSAL, 'refusal');
}

async function artifact(): Promise<Artifact> {
  const cli = join(extract, 'node_modules/opencode-linux-x64');
  const about: { name: string; version: string } = JSON.parse(await readFile(join(cli, 'package.json'), 'utf8'));
  const server = await generate(join(cli, 'bin/opencode'), join(extract, 'build/scratch'));
  const events = server.events();
  return {
    directory: join(extract, '..'),
    file: 'server.schema.json',
    definitions: {
      ...all(server, 'event', EVENTS, (type) => events.get(type)),
      ...all(server, 'answer', ANSWERS, (name) => server.answer(name, '200')),
      ...all(server, 'call', CALLS, (name) => server.call(name)),
      ...parts(server),
      refusal: refusal(server),
    },
    origin: {
      title: "What is read and written of the interface of OpenCode's server",
      source: `npm package ${about.name} ${about.version} (MIT)`,
      tool: 'the OpenAPI document that `opencode serve` of that package has at `/doc`',
      command: 'npm --prefix schemas/opencode/extract run extract',
      notes: [
        'This holds only the names and types of members that `crates/sa-opencode` reads or writes.',
        'One definition per event and answer of the server (`event/` and its type, `answer/` and the request), per kind of part of a message (`part/`), and per request of ours (`call/`, with its `query` and `body`); `refusal` is what is read of an answer that refuses.',
        'Used by: `crates/sa-opencode/tests/schema.rs`, which holds recorded events and answers of the server, and what the adapter asks, against it.',
      ],
    },
  };
}

const derived = await artifact();
await (process.argv.includes('--check') ? check(derived) : write(derived));
