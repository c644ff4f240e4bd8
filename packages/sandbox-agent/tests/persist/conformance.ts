// The rules for every persist driver. Free of test frameworks, so that it also runs in a browser.

import {
  EventConflictError,
  FencedError,
  type PersistDriver,
  PersistError,
  RevisionConflictError,
  SequenceGapError,
  type SessionFields,
  type StoredEvent,
  storedEvents,
  UnknownSessionError,
  updateRecord,
} from "sandbox-agent/persist";

/** Opens a driver. Drivers of one store share their data, as processes on one database do. */
export type OpenDriver = () => PersistDriver;

export interface Case {
  name: string;
  run(open: OpenDriver): Promise<void>;
}

const time = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`;

function session(id: string, fields: Partial<SessionFields> = {}): SessionFields {
  const times = { createdAt: time(0), updatedAt: time(0) };
  return { id, agent: "demo", metadata: {}, state: {}, fence: 0, ...times, ...fields };
}

function events(from: number, to: number, text = "event"): StoredEvent[] {
  const count = Math.max(to - from + 1, 0);
  return Array.from({ length: count }, (_, index) => ({
    sequence: from + index,
    createdAt: time(1),
    data: { text: `${text} ${from + index}` },
  }));
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [canonical(actual), canonical(expected)];
  if (found !== wanted) throw new Error(`${what}: expected ${wanted}, found ${found}`);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

async function fails<E extends Error>(
  promise: Promise<unknown>,
  Class: new (...values: never[]) => E,
): Promise<E> {
  const error = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (error instanceof Class) return error;
  throw new Error(`expected ${Class.name}, found ${String(error)}`);
}

async function sequencesOf(driver: PersistDriver, id: string, after = 0): Promise<number[]> {
  const found: number[] = [];
  for await (const event of storedEvents(driver, id, after)) found.push(event.sequence);
  return found;
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

export const CASES: Case[] = [
  {
    name: "a record comes back as it was stored, and keeps nothing of the caller's objects",
    async run(open) {
      const driver = open();
      const metadata = { nested: { list: [1, "two", null, true] }, text: 'ü\u0000"\ud83d\ude00' };
      const optional = { title: "A title", model: "m", mode: "plan", cwd: "/repo", endedAt: time(2) };
      const fields = session("whole", { metadata, state: { a: [1] }, fence: 3, ...optional });
      const wanted = JSON.parse(JSON.stringify(fields)) as SessionFields;
      const counts = { revision: 1, eventCount: 0, firstSequence: 0, lastSequence: 0 };
      same(await driver.put(fields, 0), { ...wanted, ...counts }, "put");
      metadata.nested.list.push("changed later");
      same(await driver.get("whole"), { ...wanted, ...counts }, "get");
      same(await driver.get("nobody"), undefined, "get of nothing");
      const plain = await driver.put(session("plain"), 0);
      same("title" in plain || "endedAt" in plain, false, "absent stays absent");
    },
  },
  {
    name: "a put at another revision is refused and changes nothing",
    async run(open) {
      const driver = open();
      const first = await driver.put(session("revised", { title: "one" }), 0);
      const second = await driver.put({ ...first, title: "two" }, first.revision);
      same(second.revision, 2, "revision");
      await fails(driver.put({ ...first, title: "three" }, first.revision), RevisionConflictError);
      await fails(driver.put(session("revised"), 0), RevisionConflictError);
      await fails(driver.put(session("absent"), 4), RevisionConflictError);
      same((await driver.get("revised"))?.title, "two", "title");
      same(await driver.get("absent"), undefined, "nothing was created");
    },
  },
  {
    name: "changes of many writers at once are all kept",
    async run(open) {
      const drivers = [open(), open(), open()];
      await drivers[0]?.put(session("shared"), 0);
      const changes = drivers.flatMap((driver, writer) =>
        range(1, 8).map((number) =>
          updateRecord(driver, "shared", (record) => ({
            ...record,
            metadata: { ...record.metadata, [`${writer}-${number}`]: number },
          })),
        ),
      );
      await Promise.all(changes);
      const record = await drivers[0]?.get("shared");
      same(Object.keys(record?.metadata ?? {}).length, 24, "members");
      same(record?.revision, 25, "revision");
    },
  },
  {
    name: "records are listed by age, the newest first, page by page",
    async run(open) {
      const driver = open();
      const mine: string[] = [];
      for (let index = 0; index < 7; index += 1) {
        const createdAt = `2027-01-0${1 + Math.floor(index / 2)}T00:00:00.000Z`;
        await driver.put(session(`listed-${index}`, { createdAt }), 0);
        mine.unshift(`listed-${index}`);
      }
      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await driver.list({ limit: 3, after });
        found.push(...page.sessions.map(({ id }) => id));
        same(page.sessions.length <= 3, true, "limit");
        after = page.next;
      } while (after !== undefined);
      same(
        found.filter((id) => id.startsWith("listed-")),
        mine,
        "order",
      );
      same(new Set(found).size, found.length, "no record twice");
      await fails(driver.list({ after: "nonsense" }), PersistError);
    },
  },
  {
    name: "events are counted and read in order, from anywhere",
    async run(open) {
      const driver = open();
      await driver.put(session("logged", { title: "kept" }), 0);
      await driver.append("logged", events(1, 3));
      const record = await driver.append("logged", events(4, 1200));
      same(
        [record.eventCount, record.firstSequence, record.lastSequence, record.updatedAt, record.revision],
        [1200, 1, 1200, time(1), 1],
        "counts",
      );
      same(await driver.get("logged"), record, "stored record");
      same(await sequencesOf(driver, "logged"), range(1, 1200), "all");
      same(await sequencesOf(driver, "logged", 1190), range(1191, 1200), "the end");
      same(await driver.read("logged", { after: 2, limit: 2 }), events(3, 4), "a page");
      same(await driver.read("logged", { after: 5000 }), [], "beyond the end");
      const renamed = await updateRecord(driver, "logged", (known) => ({ ...known, title: "renamed" }));
      same([renamed.eventCount, renamed.lastSequence], [1200, 1200], "a put keeps the counts");
    },
  },
  {
    name: "an append may be repeated, whole or in part",
    async run(open) {
      const driver = open();
      await driver.put(session("repeated"), 0);
      await driver.append("repeated", events(1, 5));
      same((await driver.append("repeated", events(1, 5))).eventCount, 5, "again");
      same((await driver.append("repeated", events(3, 8))).eventCount, 8, "overlapping");
      same((await driver.append("repeated", [])).eventCount, 8, "nothing");
      same(await sequencesOf(driver, "repeated"), range(1, 8), "all once");
    },
  },
  {
    name: "gaps, other events under the same number and unknown sessions are refused as a whole",
    async run(open) {
      const driver = open();
      await driver.put(session("strict"), 0);
      await driver.append("strict", events(1, 2));
      const gap = await fails(driver.append("strict", events(4, 5)), SequenceGapError);
      same([gap.expected, gap.received], [3, 4], "gap");
      await fails(driver.append("strict", [...events(3, 3), ...events(5, 5)]), SequenceGapError);
      await fails(driver.append("strict", [...events(3, 3), ...events(3, 3)]), SequenceGapError);
      const other = await fails(driver.append("strict", events(2, 4, "other")), EventConflictError);
      same(other.sequence, 2, "conflict");
      await fails(driver.append("strict", events(0, 3)), PersistError);
      await fails(driver.append("nobody", events(1, 1)), UnknownSessionError);
      await fails(driver.read("nobody"), UnknownSessionError);
      const data = { big: 1n };
      await fails(driver.append("strict", [{ sequence: 3, createdAt: time(1), data }]), PersistError);
      same(await sequencesOf(driver, "strict"), [1, 2], "log");
      same((await driver.get("strict"))?.eventCount, 2, "count");
    },
  },
  {
    name: "a log may begin anywhere",
    async run(open) {
      const driver = open();
      await driver.put(session("late"), 0);
      const record = await driver.append("late", events(90, 92));
      same([record.firstSequence, record.lastSequence, record.eventCount], [90, 92, 3], "counts");
      same(await sequencesOf(driver, "late"), [90, 91, 92], "log");
    },
  },
  {
    name: "a writer that was replaced cannot append any more",
    async run(open) {
      const driver = open();
      const record = await driver.put(session("fenced", { fence: 1 }), 0);
      await driver.append("fenced", events(1, 1), { fence: 1 });
      await driver.put({ ...record, fence: 2 }, record.revision);
      await fails(driver.append("fenced", events(2, 2), { fence: 1 }), FencedError);
      await driver.append("fenced", events(2, 2), { fence: 2 });
      same(await sequencesOf(driver, "fenced"), [1, 2], "log");
    },
  },
  {
    name: "writers that append the same events at once store each of them once",
    async run(open) {
      const drivers = [open(), open(), open(), open()];
      await drivers[0]?.put(session("raced"), 0);
      const write = async (driver: PersistDriver): Promise<void> => {
        for (let from = 1; from <= 200; from += 10) await driver.append("raced", events(from, from + 9));
      };
      await Promise.all(drivers.map(write));
      const [driver] = drivers;
      if (driver === undefined) return;
      same(await sequencesOf(driver, "raced"), range(1, 200), "log");
      same((await driver.get("raced"))?.eventCount, 200, "count");
    },
  },
  {
    name: "a deleted session is gone with its events, and its id is free",
    async run(open) {
      const driver = open();
      await driver.put(session("deleted"), 0);
      await driver.append("deleted", events(1, 3));
      await driver.put(session("deleted2"), 0);
      await driver.append("deleted2", events(1, 1));
      await driver.delete("deleted");
      await driver.delete("deleted");
      same(await driver.get("deleted"), undefined, "record");
      await driver.put(session("deleted"), 0);
      same(await sequencesOf(driver, "deleted"), [], "log");
      same(await sequencesOf(driver, "deleted2"), [1], "the other log");
    },
  },
  {
    name: "large and odd data survives",
    async run(open) {
      const driver = open();
      await driver.put(session("odd"), 0);
      const data = {
        text: "x".repeat(1_000_000),
        nul: "\u0000",
        lone: "\ud800",
        list: [null, 1.5, -0, 1e300],
      };
      const event = { sequence: 1, createdAt: time(1), data: JSON.parse(JSON.stringify(data)) as unknown };
      await driver.append("odd", [event]);
      same(await driver.read("odd"), [event], "event");
      await driver.append("odd", [event]);
    },
  },
];
