// Assertions without a test framework.

/** Fails the case unless the condition holds. */
export function check(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Fails the case unless both values have the same JSON. */
export function same(actual: unknown, expected: unknown, what = "value"): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: expected ${right}, got ${left}`);
}

type Constructor<T> = abstract new (...args: never[]) => T;

/** Returns the error of a promise that rejects with an instance of the class. Fails the case otherwise. */
export async function rejection<T extends Error>(
  promise: PromiseLike<unknown>,
  type: Constructor<T>,
): Promise<T> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (error instanceof type) return error;
    throw new Error(`expected a ${type.name}, got ${String(error)}`, { cause: error });
  }
  throw new Error(`expected a ${type.name}, got the result ${JSON.stringify(value)}`);
}

/** Returns all items of an iterator. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Returns the first item that matches and leaves the iterator. */
export async function first<T, S extends T>(
  items: AsyncIterable<T>,
  matches: (item: T) => item is S,
): Promise<S>;
export async function first<T>(items: AsyncIterable<T>, matches?: (item: T) => boolean): Promise<T>;
export async function first<T>(items: AsyncIterable<T>, matches = (_: T) => true): Promise<T> {
  for await (const item of items) if (matches(item)) return item;
  throw new Error("the iterator ended without a match");
}
