// JSON Schema as the generators of the agents' vendors write it, and how to look through it.

/** A JSON Schema, as far as it is looked at here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema | boolean>;
  additionalProperties?: Schema | boolean;
  items?: Schema | boolean | (Schema | boolean)[];
  anyOf?: (Schema | boolean)[];
  oneOf?: (Schema | boolean)[];
  allOf?: (Schema | boolean)[];
}

/** A document with the definitions that its references name. */
export class Definitions {
  readonly #byName: ReadonlyMap<string, Schema>;

  constructor(document: { definitions?: Record<string, Schema>; $defs?: Record<string, Schema> }) {
    this.#byName = new Map(Object.entries({ ...document.definitions, ...document.$defs }));
  }

  /** The definitions themselves, by name. */
  entries(): IterableIterator<[string, Schema]> {
    return this.#byName.entries();
  }

  /**
   * The forms of a schema: references followed, unions split (members that stand next to a
   * union are in all of it), intersections put together. A schema that allows
   * everything is the empty one.
   */
  alternatives(schema: Schema | boolean | undefined, seen: readonly string[] = []): Schema[] {
    if (schema === undefined || schema === false) return [];
    if (schema === true) return [{}];
    if (schema.$ref !== undefined) {
      const name = decodeURIComponent(schema.$ref.replace(/^#\/(definitions|\$defs)\//, ''));
      const target = this.#byName.get(name);
      if (target === undefined) throw new Error(`no definition of ${name}`);
      return seen.includes(name) ? [] : this.alternatives(target, [...seen, name]);
    }
    const union = schema.anyOf ?? schema.oneOf;
    if (union !== undefined) return union.flatMap((member) => this.alternatives(member, seen)).map((one) => shared(schema, one));
    if (schema.allOf !== undefined) return [this.#intersection(schema.allOf, seen)];
    return [schema];
  }

  #intersection(members: (Schema | boolean)[], seen: readonly string[]): Schema {
    const parts = members.flatMap((member) => this.alternatives(member, seen));
    return Object.assign({}, ...parts, { properties: Object.assign({}, ...parts.map((part) => part.properties)) });
  }
}

/** One of a union's alternatives, with the members that all of them have. */
function shared({ properties }: Schema, one: Schema): Schema {
  if (properties === undefined) return one;
  return { ...one, properties: { ...properties, ...one.properties } };
}

/** The JSON types that a schema without references or unions allows; `undefined` if it allows any. */
export function typesOf(schema: Schema): string[] | undefined {
  if (schema.type !== undefined) return [schema.type].flat();
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values !== undefined) return values.map((value) => (value === null ? 'null' : typeof value));
  if (schema.properties !== undefined) return ['object'];
  return undefined;
}

/** The values that it names. */
export function valuesOf(schema: Schema): unknown[] {
  return schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
}
