// Derives `schemas/amp/stream.schema.json`. With `--check` nothing is written; a stale file is an error.

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Artifact, check, write } from '../../lib/artifact.js';
import { Definitions, type Schema, valuesOf } from '../../lib/schema.js';
import { type Trimmed, trim } from '../../lib/trim.js';
import { LINE, generate } from './generate.js';
import { LINES } from './reads.js';

// This file runs as `extract/build/amp/extract/extract.js`.
const extract = join(dirname(fileURLToPath(import.meta.url)), '../../..');

async function about(name: string): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(extract, 'node_modules', name, 'package.json'), 'utf8'));
}

/** The kinds of lines that a schema describes: `type`, or `type/subtype`. */
function kinds(definitions: Definitions, schema: Schema): string[] {
  const values = (name: string) => definitions.alternatives(schema.properties?.[name]).flatMap(valuesOf);
  return values('type').flatMap((type) => {
    const subtypes = values('subtype');
    return subtypes.length === 0 ? [String(type)] : subtypes.map((subtype) => `${type}/${subtype}`);
  });
}

async function artifact(): Promise<Artifact> {
  const sdk = join(extract, 'node_modules/@sourcegraph/amp-sdk/dist');
  const definitions = new Definitions(await generate(sdk, join(extract, 'build/scratch')));
  const all = definitions.alternatives({ $ref: `#/definitions/${LINE}` });
  const derived: Record<string, Trimmed> = {};
  for (const [kind, shape] of Object.entries(LINES)) {
    const members = all.filter((schema) => kinds(definitions, schema).includes(kind));
    derived[kind] = trim(definitions, { anyOf: members }, shape, kind);
  }
  const [source, tool] = [await about('@sourcegraph/amp-sdk'), await about('ts-json-schema-generator')];
  return {
    directory: join(extract, '..'),
    file: 'stream.schema.json',
    definitions: derived,
    origin: {
      title: 'What is read of the output of Amp',
      source: `npm package ${source.name} ${source.version}`,
      tool: `npm package ts-json-schema-generator ${tool.version}`,
      command: 'npm --prefix schemas/amp/extract run extract',
      notes: [
        "The vendor's licence does not let its declarations be passed on; this holds only the names and types of members that `crates/sa-amp` reads, in words of our own.",
        'One definition per kind of line (`type` or `type/subtype`). Thoughts and the size of the context are written by the CLI though the package does not declare them.',
        'Used by: `crates/sa-amp/tests/amp/native_schema.rs`, which holds recorded lines of the CLI against it.',
      ],
    },
  };
}

const derived = await artifact();
await (process.argv.includes('--check') ? check(derived) : write(derived));
