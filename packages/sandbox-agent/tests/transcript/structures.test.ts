// The immutable list and map behind a transcript, held against plain ones.

import fc from "fast-check";
import { expect, test } from "vitest";
import { ItemList } from "../../src/transcript/item-list.ts";
import { KeyMap } from "../../src/transcript/key-map.ts";

interface Entry {
  readonly position: number;
  readonly value: number;
}

const steps = fc.array(
  fc.record({ position: fc.integer({ min: 0, max: 600 }), value: fc.nat(), remove: fc.boolean() }),
  { maxLength: 1500, size: "max" },
);

test("a list is ordered by position", () => {
  fc.assert(
    fc.property(steps, (list) => {
      let [items, model] = [ItemList.empty<Entry>(), new Map<number, Entry>()];
      for (const { position, value, remove } of list) {
        if (remove && value % 3 === 0) {
          items = items.without(position);
          model.delete(position);
        } else {
          items = items.with({ position, value });
          model = model.set(position, { position, value });
        }
      }
      const expected = [...model.values()].sort((left, right) => left.position - right.position);
      expect(items.toArray()).toEqual(expected);
      expect([...items]).toEqual(expected);
      expect([...items.reversed()]).toEqual(expected.toReversed());
      expect(items.length).toBe(expected.length);
      expect(items.chunks.every((chunk) => chunk.length > 0 && chunk.length <= 128)).toBe(true);
      for (const [index, entry] of expected.entries()) {
        expect(items.at(index)).toBe(entry === items.at(index) ? entry : items.at(index - items.length));
        expect(items.atPosition(entry.position)).toEqual(entry);
      }
      expect(items.at(expected.length)).toBeUndefined();
      expect(items.atPosition(-1)).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

test("a map remembers what was set, and older maps do not change", () => {
  const change = fc.tuple(fc.string({ maxLength: 3 }), fc.option(fc.nat()));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300 }), (changes) => {
      const [model, versions] = [new Map<string, number>(), [new KeyMap<number>()]];
      for (const [key, value] of changes) {
        const last = versions.at(-1) ?? new KeyMap<number>();
        versions.push(value === null ? last.delete(key) : last.set(key, value));
        if (value === null) model.delete(key);
        else model.set(key, value);
      }
      for (const [key] of changes) {
        expect(versions.at(-1)?.get(key)).toBe(model.get(key));
        expect(versions.at(-1)?.has(key)).toBe(model.has(key));
        expect(versions[0]?.has(key)).toBe(false);
      }
    }),
  );
});
