// An immutable map from strings: adding one entry copies one small bucket, not the map.

const BUCKETS = 1024;

/** An immutable map with string keys. `set` and `delete` return a new map that shares all but one bucket. */
export class KeyMap<V> {
  readonly #buckets: readonly (ReadonlyMap<string, V> | undefined)[];

  constructor(buckets: readonly (ReadonlyMap<string, V> | undefined)[] = []) {
    this.#buckets = buckets;
  }

  get(key: string): V | undefined {
    return this.#buckets[bucketOf(key)]?.get(key);
  }

  has(key: string): boolean {
    return this.#buckets[bucketOf(key)]?.has(key) ?? false;
  }

  set(key: string, value: V): KeyMap<V> {
    const bucket = new Map(this.#buckets[bucketOf(key)]);
    return this.#with(key, bucket.set(key, value));
  }

  delete(key: string): KeyMap<V> {
    if (!this.has(key)) return this;
    const bucket = new Map(this.#buckets[bucketOf(key)]);
    bucket.delete(key);
    return this.#with(key, bucket);
  }

  #with(key: string, bucket: ReadonlyMap<string, V>): KeyMap<V> {
    const buckets = this.#buckets.length === 0 ? new Array(BUCKETS).fill(undefined) : this.#buckets.slice();
    buckets[bucketOf(key)] = bucket;
    return new KeyMap<V>(buckets);
  }
}

/** FNV-1a over UTF-16 units. */
function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}
