// Numbers, times and sizes as people read them.

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const count = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** Returns a time relative to now, such as `5 min. ago`. */
export function ago(timestamp: string, now: number = Date.now()): string {
  const past = now - Date.parse(timestamp);
  if (!Number.isFinite(past)) return "";
  for (const [unit, length] of STEPS) {
    if (past >= length) return relative.format(-Math.floor(past / length), unit);
  }
  return "now";
}

export function exactTime(timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isFinite(time) ? exact.format(time) : "";
}

/** Returns a duration with its unit, such as `850 ms`, `1.2 s` or `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function between(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from);
}

export function bytes(size: number): string {
  if (size < 1_024) return `${size} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = size / 1_024;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function compact(value: number): string {
  return count.format(value);
}

export function cost(value: { amount: number; currency: string }): string {
  const digits = value.amount > 0 && value.amount < 0.01 ? 4 : 2;
  const options = { style: "currency", currency: value.currency, minimumFractionDigits: digits } as const;
  try {
    return new Intl.NumberFormat("en", options).format(value.amount);
  } catch {
    return `${value.amount} ${value.currency}`;
  }
}

/** Returns a path relative to a directory if it lies below it. */
export function shortPath(path: string, directory?: string): string {
  if (directory === undefined) return path;
  if (path === directory) return ".";
  const base = directory.endsWith("/") ? directory : `${directory}/`;
  return path.startsWith(base) ? path.slice(base.length) : path;
}

/** Returns the last name of a path. */
export function baseName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? path;
}

export function plural(number: number, one: string, many: string = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
