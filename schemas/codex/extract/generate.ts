// Has the CLI write down its own protocol.

import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Definitions, type Schema, valuesOf } from '../../lib/schema.js';

type Document = Schema & { definitions?: Record<string, Schema> };

/** The files that the CLI wrote, each of which holds all that it refers to. */
export class Protocol {
  constructor(private readonly folder: string) {}

  /** A type of its own file, by the file's name without its ending. */
  async type(name: string): Promise<{ definitions: Definitions; schema: Schema }> {
    const schema: Document = JSON.parse(await readFile(join(this.folder, `${name}.json`), 'utf8'));
    return { definitions: new Definitions(schema), schema };
  }

  /** The parameters of the messages of one kind, by method. */
  async params(name: string): Promise<{ definitions: Definitions; byMethod: Map<string, Schema | boolean> }> {
    const { definitions, schema } = await this.type(name);
    const byMethod = new Map<string, Schema | boolean>();
    for (const message of definitions.alternatives(schema)) {
      for (const method of definitions.alternatives(message.properties?.method).flatMap(valuesOf)) {
        byMethod.set(String(method), message.properties?.params ?? { type: 'object' });
      }
    }
    return { definitions, byMethod };
  }
}

/** Generates into `scratch`, which is also all that the CLI knows of a home. Methods that are not stable are in it, too. */
export async function generate(cli: string, scratch: string): Promise<Protocol> {
  await rm(scratch, { recursive: true, force: true });
  const home = join(scratch, 'home');
  await mkdir(home, { recursive: true });
  const out = join(scratch, 'protocol');
  const args = [cli, 'app-server', 'generate-json-schema', '--experimental', '--out', out];
  await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH, HOME: home, CODEX_HOME: home } });
  return new Protocol(out);
}
