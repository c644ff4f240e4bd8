// Cuts a vendor's schema down to what we read, and relaxes it to what real programs write.
//
// Vendors' schemas say more than their programs hold to: members that gateways leave out are required, lists of values are
// closed and then grow. The checked-in schema is smaller: the members that our code reads, each with the
// types it may have; required only where our code cannot do without it.

import { type Definitions, type Schema, typesOf, valuesOf } from './schema.js';

/**
 * The parts of a value that are read: `true` for the value itself, an object for members, a list of one for each item of a list. A name
 * with `!` at its end has to be there; one with `?` is written though the vendor does not declare it; `*` stands for every
 * member of a map.
 */
export type Shape = true | readonly [Shape] | { readonly [name: string]: Shape };

/** A schema of the kind that is written: types, members, items. */
export interface Trimmed {
  type?: string | string[];
  const?: string;
  'x-known'?: unknown[];
  properties?: Record<string, Trimmed>;
  required?: string[];
  items?: Trimmed;
  additionalProperties?: Trimmed;
}

/** Members that are read, but that the vendor's types no longer have. */
export class Missing extends Error {
  constructor(readonly path: string) {
    super(`${path} is read, but not declared`);
  }
}

/** Cuts `schema` to `shape`. `path` says where in the document this is, for errors. */
export function trim(definitions: Definitions, schema: Schema | boolean, shape: Shape, path: string): Trimmed {
  const alternatives = definitions.alternatives(schema);
  if (alternatives.length === 0) throw new Missing(path);
  if (shape === true) return leaf(alternatives);
  // One that says nothing can be anything.
  if (alternatives.some((alternative) => typesOf(alternative) === undefined)) return {};
  const trimmed: Trimmed = { type: simple(new Set(alternatives.flatMap((alternative) => typesOf(alternative) ?? []))) };
  if (isList(shape)) {
    const items = alternatives.flatMap((alternative) => [alternative.items ?? []].flat());
    if (items.length === 0) throw new Missing(`${path}[]`);
    trimmed.items = trim(definitions, { anyOf: items }, shape[0], `${path}[]`);
    return trimmed;
  }
  members(definitions, alternatives, shape, path, trimmed);
  return trimmed;
}

function members(
  definitions: Definitions,
  alternatives: Schema[],
  shape: { readonly [name: string]: Shape },
  path: string,
  trimmed: Trimmed,
): void {
  const properties: Record<string, Trimmed> = {};
  const required: string[] = [];
  for (const [key, inner] of Object.entries(shape)) {
    const name = key.replace(/[!?]$/, '');
    const place = `${path}.${name}`;
    if (name === '*') {
      const values = alternatives.flatMap((alternative) => alternative.additionalProperties ?? []);
      trimmed.additionalProperties = nullable(trim(definitions, { anyOf: values }, inner, place));
      continue;
    }
    const found = alternatives.flatMap((alternative) => alternative.properties?.[name] ?? []);
    if (found.length === 0 && key.endsWith('?')) {
      properties[name] = {};
      continue;
    }
    if (found.length === 0) throw new Missing(place);
    const member = trim(definitions, { anyOf: found }, inner, place);
    const needed = key.endsWith('!');
    if (needed) required.push(name);
    properties[name] = needed ? member : nullable(member);
  }
  if (Object.keys(properties).length > 0) trimmed.properties = properties;
  if (required.length > 0) trimmed.required = required;
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

/** A value that is read as it is. Named values are kept to be known, not to be enforced. */
function leaf(alternatives: Schema[]): Trimmed {
  const types = alternatives.map(typesOf);
  if (types.some((type) => type === undefined)) return {};
  const trimmed: Trimmed = { type: simple(new Set(types.flatMap((type) => type ?? []))) };
  const known = [...new Set(alternatives.flatMap(valuesOf))].filter((value) => typeof value === 'string').sort();
  if (known.length > 0) trimmed['x-known'] = known;
  return trimmed;
}

/** An optional member may also be `null`: programs do not distinguish the two. */
function nullable(schema: Trimmed): Trimmed {
  if (schema.type === undefined) return schema;
  return { ...schema, type: simple(new Set([...[schema.type].flat(), 'null'])) };
}

function simple(types: ReadonlySet<string>): string | string[] {
  // Every integer is a number; which of the two a vendor writes down is chance.
  const list = [...types].filter((type) => type !== 'integer' || !types.has('number')).sort();
  return list.length === 1 && list[0] !== undefined ? list[0] : list;
}
