// Reads the interface of the CLI's own server.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Definitions, type Schema, valuesOf } from '../../lib/schema.js';

type Content = { content?: Record<string, { schema?: Schema }> };

/** One request, as OpenAPI has it. */
interface Operation {
  parameters?: { name: string; in: string; schema?: Schema }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  definitions: Record<string, Schema>;
}

/** How long the server may take for anything. */
const PATIENCE = 60_000;

/** The server's description of its requests and events. */
export class Interface {
  readonly definitions: Definitions;

  constructor(private readonly document: Document) {
    this.definitions = new Definitions(document);
  }

  /** The parts of a request: `query` and `body`. A request is named as in `GET /session/{sessionID}`. */
  call(name: string): Schema | undefined {
    const operation = this.#operation(name);
    if (operation === undefined) return undefined;
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const query = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema ?? {}]));
    const body = schemaOf(operation.requestBody);
    return { type: 'object', properties: { query: { type: 'object', properties: query }, ...(body && { body }) } };
  }

  /** The responses to a request, by status. */
  answer(name: string, status: string): Schema | undefined {
    return schemaOf(this.#operation(name)?.responses[status]);
  }

  /** The properties of the events of all directories, by type. */
  events(): Map<string, Schema | boolean> {
    const byType = new Map<string, Schema | boolean>();
    for (const event of this.definitions.alternatives(this.answer('GET /global/event', '200'))) {
      for (const payload of this.definitions.alternatives(event.properties?.payload)) {
        const properties = payload.properties?.properties;
        if (properties === undefined) continue;
        for (const type of this.definitions.alternatives(payload.properties?.type).flatMap(valuesOf)) byType.set(String(type), properties);
      }
    }
    return byType;
  }

  #operation(name: string): Operation | undefined {
    const [method = '', path = ''] = name.split(' ');
    return this.document.paths[path]?.[method.toLowerCase()];
  }
}

function schemaOf(message: Content | undefined): Schema | undefined {
  return Object.values(message?.content ?? {})[0]?.schema;
}

/** Starts the server and asks it. `scratch` is all that it knows of a home, and nobody else knows its password. */
export async function generate(cli: string, scratch: string): Promise<Interface> {
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  const password = randomBytes(16).toString('hex');
  const server = spawn(cli, ['serve', '--hostname', '127.0.0.1', '--port', String(await freePort())], {
    cwd: scratch,
    env: {
      PATH: process.env.PATH,
      HOME: scratch,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_SERVER_PASSWORD: password,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  const overdue = setTimeout(() => server.kill('SIGKILL'), PATIENCE);
  try {
    const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`;
    const response = await fetch(`${await address(server.stdout)}/doc`, { headers: { authorization } });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    const { paths, components } = JSON.parse((await response.text()).replaceAll('"#/components/schemas/', '"#/definitions/'));
    return new Interface({ paths, definitions: components.schemas });
  } finally {
    server.kill();
    await ended;
    clearTimeout(overdue);
  }
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  await once(listener, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no port');
  return address.port;
}

/** Where the server says that it listens. */
async function address(printed: Readable): Promise<string> {
  for await (const line of createInterface({ input: printed })) {
    const found = /listening on (http:\S+)/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error('the server ended before it listened');
}
