// Ranking of names by how well a few typed letters fit them.

/** Returns a score, higher for a better fit, or undefined if the letters do not occur in order. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const [wanted, name] = [query.toLowerCase(), text.toLowerCase()];
  if (wanted === "") return 0;
  const whole = name.indexOf(wanted);
  if (whole !== -1) return 1_000 - whole - name.length / 100 + (startsWord(name, whole) ? 200 : 0);
  let [score, at] = [0, -1];
  for (const letter of wanted) {
    const next = name.indexOf(letter, at + 1);
    if (next === -1) return undefined;
    score += next === at + 1 ? 8 : startsWord(name, next) ? 6 : 1;
    at = next;
  }
  return score - name.length / 100;
}

/** Returns the values that fit, the best first. Equal ones keep their order. */
export function fuzzyFilter<T>(query: string, values: readonly T[], text: (value: T) => string): T[] {
  if (query.trim() === "") return [...values];
  return values
    .map((value) => ({ value, score: fuzzyScore(query.trim(), text(value)) }))
    .filter((entry): entry is { value: T; score: number } => entry.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .map((entry) => entry.value);
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || /[\s/\-_.:]/.test(text[at - 1] ?? "");
}
