// Derives `schemas/claude/stdout.schema.json`. With `--check` nothing is written; a stale file is an error.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Artifact, check, write } from '../../lib/artifact.js';
import { Definitions, type Schema, valuesOf } from '../../lib/schema.js';
import { type Trimmed, trim } from '../../lib/trim.js';
import { STDOUT, answerName, generate } from './generate.js';
import { ANSWERS, LINES, UNDECLARED } from './reads.js';

// This file runs as `extract/build/claude/extract/extract.js`.
const extract = join(dirname(fileURLToPath(import.meta.url)), '../../..');

async function version(name: string): Promise<Record<string, string>> {
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

function lines(definitions: Definitions): Record<string, Trimmed> {
  const all = definitions.alternatives({ $ref: `#/definitions/${STDOUT}` });
  const derived: Record<string, Trimmed> = { ...UNDECLARED };
  for (const [kind, shape] of Object.entries(LINES)) {
    const members = all.filter((schema) => kinds(definitions, schema).includes(kind));
    derived[kind] = trim(definitions, { anyOf: members }, shape, kind);
  }
  return derived;
}

async function artifact(): Promise<Artifact> {
  const sdk = dirname(createRequire(join(extract, 'package.json')).resolve('@anthropic-ai/claude-agent-sdk'));
  const answers = Object.fromEntries(Object.entries(ANSWERS).map(([request, { type }]) => [request, type]));
  const definitions = new Definitions(await generate(sdk, join(extract, 'build/scratch'), answers));
  const derived = lines(definitions);
  for (const [request, { shape }] of Object.entries(ANSWERS)) {
    const name = `answer/${request}`;
    derived[name] = trim(definitions, { $ref: `#/definitions/${answerName(request)}` }, shape, name);
  }
  const [sdkPackage, tool] = [await version('@anthropic-ai/claude-agent-sdk'), await version('ts-json-schema-generator')];
  return {
    directory: join(extract, '..'),
    file: 'stdout.schema.json',
    definitions: derived,
    origin: {
      title: 'What is read of the output of Claude Code',
      source: `npm package ${sdkPackage.name} ${sdkPackage.version} (types of Claude Code ${sdkPackage.claudeCodeVersion})`,
      tool: `npm package ts-json-schema-generator ${tool.version}`,
      command: 'npm --prefix schemas/claude/extract run extract',
      notes: [
        "The vendor's licence does not let its declarations be passed on; this holds only the names and types of members that `crates/sa-claude` reads, in words of our own.",
        'One definition per kind of line (`type` or `type/subtype`), and one per answer that is read (`answer/<request>`).',
        'Used by: `crates/sa-claude/tests/schema.rs`, which holds recorded lines of the CLI against it.',
      ],
    },
  };
}

const derived = await artifact();
await (process.argv.includes('--check') ? check(derived) : write(derived));
