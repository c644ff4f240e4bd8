// An immutable list of items in the order of their positions, stored in chunks so that a change copies one chunk.

/** Anything that stands at a position. Positions are unique within a list. */
export interface Positioned {
  readonly position: number;
}

/** Most items of one chunk. */
const CHUNK = 128;

/**
 * An immutable list, ordered by position. A change copies one chunk and the list of chunks; all other chunks and all
 * other items keep their identity. Render `chunks` with memoized components to update a long list cheaply.
 */
export class ItemList<T extends Positioned> implements Iterable<T> {
  /** The items in order, in runs of at most 128. */
  readonly chunks: readonly (readonly T[])[];
  readonly length: number;
  #array: readonly T[] | undefined;

  private constructor(chunks: readonly (readonly T[])[], length: number) {
    this.chunks = chunks;
    this.length = length;
  }

  static empty<T extends Positioned>(): ItemList<T> {
    return new ItemList<T>([], 0);
  }

  /** Returns the item at an index; negative indexes count from the end. */
  at(index: number): T | undefined {
    let rest = index < 0 ? this.length + index : index;
    if (rest < 0) return undefined;
    for (const chunk of this.chunks) {
      if (rest < chunk.length) return chunk[rest];
      rest -= chunk.length;
    }
    return undefined;
  }

  /** Returns the item at a position. */
  atPosition(position: number): T | undefined {
    const chunk = this.chunks[this.#chunkOf(position)];
    const item = chunk?.[indexOf(chunk, position)];
    return item?.position === position ? item : undefined;
  }

  /** Returns all items as an array, which is made once for each list. */
  toArray(): readonly T[] {
    this.#array ??= this.chunks.flat();
    return this.#array;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const chunk of this.chunks) yield* chunk;
  }

  /** Iterates from the last item to the first. */
  *reversed(): Generator<T> {
    for (let chunk = this.chunks.length - 1; chunk >= 0; chunk -= 1) {
      const items = this.chunks[chunk] ?? [];
      for (let index = items.length - 1; index >= 0; index -= 1) {
        const item = items[index];
        if (item !== undefined) yield item;
      }
    }
  }

  /** Adds an item, or replaces the one at the same position. */
  with(item: T): ItemList<T> {
    const at = this.#chunkOf(item.position);
    const chunk = this.chunks[at];
    // Older items go into chunks of their own, so that the chunks after them keep their identity.
    if (chunk === undefined) return this.#splice(0, 0, [[item]], 1);
    const index = indexOf(chunk, item.position);
    if (chunk[index]?.position === item.position) return this.#splice(at, 1, [chunk.with(index, item)], 0);
    if (chunk.length < CHUNK) return this.#splice(at, 1, [chunk.toSpliced(index, 0, item)], 1);
    if (index === chunk.length) return this.#splice(at + 1, 0, [[item]], 1);
    const grown = chunk.toSpliced(index, 0, item);
    return this.#splice(at, 1, [grown.slice(0, CHUNK / 2), grown.slice(CHUNK / 2)], 1);
  }

  /** Removes the item at a position, if there is one. */
  without(position: number): ItemList<T> {
    const at = this.#chunkOf(position);
    const chunk = this.chunks[at];
    const index = chunk === undefined ? 0 : indexOf(chunk, position);
    if (chunk?.[index]?.position !== position) return this;
    return this.#splice(at, 1, chunk.length === 1 ? [] : [chunk.toSpliced(index, 1)], -1);
  }

  /** Index of the last chunk that begins at or before a position; -1 if all begin after it. */
  #chunkOf(position: number): number {
    let [low, high] = [0, this.chunks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.chunks[middle]?.[0]?.position ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #splice(at: number, remove: number, chunks: readonly (readonly T[])[], grows: number): ItemList<T> {
    return new ItemList<T>(this.chunks.toSpliced(at, remove, ...chunks), this.length + grows);
  }
}

/** Index of the first item at or after a position. */
function indexOf(chunk: readonly Positioned[], position: number): number {
  let [low, high] = [0, chunk.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunk[middle]?.position ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
