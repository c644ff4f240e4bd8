// Makes JSON Schema of the types that the Agent SDK's package declares.

import { readFile, rm, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';
import type { Schema } from '../../lib/schema.js';

/** The name that the union of all lines gets. */
export const STDOUT = 'Stdout';

/** The name that the type of the answer to a request gets. */
export function answerName(request: string): string {
  return `Answer_${request}`;
}

/**
 * Generates from the package's declarations. They are not fit for a generator as they are, so a copy in `scratch` is mended:
 * the types that are looked for are exported, and imports of packages that are not installed, which concern programs that
 * embed the CLI and not what it writes, stand for anything. `answers` are types, in TypeScript, by request.
 */
export async function generate(
  sdk: string,
  scratch: string,
  answers: Record<string, string>,
): Promise<{ definitions: Record<string, Schema> }> {
  const declarations = mended(await readFile(join(sdk, 'sdk.d.ts'), 'utf8'));
  const lines = ['SDKMessage', 'SDKControlRequest', 'SDKControlResponse', 'SDKControlCancelRequest'];
  const root = [
    `import type * as sdk from './sdk.js';`,
    `export type ${STDOUT} = ${lines.map((name) => `sdk.${name}`).join(' | ')};`,
    ...Object.entries(answers).map(([request, type]) => `export type ${answerName(request)} = ${type};`),
  ];
  const options = {
    strict: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'esnext.disposable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    skipLibCheck: true,
    types: [],
  };
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  const file = (name: string, text: string) => writeFile(join(scratch, name), text);
  await file('package.json', '{"type":"module"}');
  await file('sdk.d.ts', declarations);
  await file('root.ts', root.join('\n'));
  await file('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['root.ts'] }));
  const generator = createGenerator({
    path: join(scratch, 'root.ts'),
    tsconfig: join(scratch, 'tsconfig.json'),
    type: '*',
    expose: 'export',
    jsDoc: 'none',
    skipTypeCheck: true,
    additionalProperties: true,
  });
  return generator.createSchema('*') as { definitions: Record<string, Schema> };
}

function mended(declarations: string): string {
  const absent = /^import (?:type )?(?:\{ (?:\w+ as )?(\w+) \}|\* as (\w+)) from '(?:@modelcontextprotocol|zod|stream|crypto)[^']*';$/gm;
  return declarations
    .replace(absent, (_, name?: string) => (name === undefined ? '' : `export declare type ${name} = any;`))
    .replace(/^declare type /gm, 'export declare type ')
    // The generator does not look into this one.
    .replace(/NonNullable<BetaUsage\[K\]>/g, 'BetaUsage[K]');
}
