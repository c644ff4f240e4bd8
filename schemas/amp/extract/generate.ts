// Makes JSON Schema of the types that the SDK's package declares.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';
import type { Schema } from '../../lib/schema.js';

/** The union of all lines. */
export const LINE = 'StreamMessage';

/**
 * Generates from the part of the package's declarations that is about the stream: what follows it is about programs that embed
 * the SDK, and needs a package that is not installed.
 */
export async function generate(sdk: string, scratch: string): Promise<{ definitions: Record<string, Schema> }> {
  const declarations = await readFile(join(sdk, 'types.d.ts'), 'utf8');
  const end = declarations.indexOf('/** User input message schema */');
  if (end < 0) throw new Error('the declarations have another order than expected');
  const stream = declarations.slice(0, end).replace(/^import .*$/gm, '');
  const options = { strict: true, target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', types: [] };
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  await writeFile(join(scratch, 'package.json'), '{"type":"module"}');
  await writeFile(join(scratch, 'stream.ts'), stream);
  await writeFile(join(scratch, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['stream.ts'] }));
  const generator = createGenerator({
    path: join(scratch, 'stream.ts'),
    tsconfig: join(scratch, 'tsconfig.json'),
    type: '*',
    expose: 'export',
    jsDoc: 'none',
    skipTypeCheck: true,
    additionalProperties: true,
  });
  return generator.createSchema('*') as { definitions: Record<string, Schema> };
}
