// Syntax colors without grammars: comments, strings, numbers, keywords and types look alike in most languages.

export type TokenKind = "plain" | "comment" | "string" | "number" | "keyword" | "type" | "call";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORDS = new Set(
  (
    "abstract and as assert async await begin break case catch chan class const constexpr continue crate declare def default defer " +
    "del delete do done elif else elsif end enum esac except export extends extern false fi final finally fn for foreach from func " +
    "function get global go goto if impl implements import in include instanceof interface is lambda let loop match mod module move mut " +
    "namespace new nil none not null of operator or override package pass private protected pub public raise readonly ref require " +
    "return self set sizeof static struct super switch template then this throw throws trait true try type typedef typeof undef undefined " +
    "union unless unsafe until use using val var virtual void where while with yield"
  ).split(" "),
);

/** Languages whose comments begin with `#`. */
const HASH =
  /^(py|python|rb|ruby|sh|bash|zsh|shell|console|ya?ml|toml|dockerfile|make|makefile|r|pl|ini|conf)$/;
/** Languages without these colors: prose, and output. */
const PLAIN = /^(|txt|text|md|markdown|log|output|diff|csv)$/;

const COMMON =
  /("(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`?)|(\b\d[\w.]*\b)|([A-Za-z_$][\w$]*)(?=(\s*\()?)|\s+|[^\w\s]/g;

/** Splits one line into tokens. Comments and strings that span lines are colored line by line. */
export function highlight(line: string, language: string): Token[] {
  if (PLAIN.test(language) || line.length > 2_000) return [{ kind: "plain", text: line }];
  const comment = commentStart(line, language);
  const code = comment === -1 ? line : line.slice(0, comment);
  const tokens: Token[] = [];
  for (const match of code.matchAll(COMMON)) push(tokens, kindOf(match), match[0]);
  if (comment !== -1) push(tokens, "comment", line.slice(comment));
  return tokens;
}

/** Returns the language of a file, by its extension. */
export function languageOf(path: string): string {
  const name = path.split("/").at(-1)?.toLowerCase() ?? "";
  return name.includes(".") ? (name.split(".").at(-1) ?? "") : name;
}

function kindOf(match: RegExpMatchArray): TokenKind {
  const [, string, number, word, call] = match;
  if (string !== undefined) return "string";
  if (number !== undefined) return "number";
  if (word === undefined) return "plain";
  if (KEYWORDS.has(word)) return "keyword";
  if (call !== undefined) return "call";
  return /^[A-Z][a-z]/.test(word) ? "type" : "plain";
}

function commentStart(line: string, language: string): number {
  if (/^\s*(\*|\/\*)/.test(line) && !HASH.test(language)) return line.search(/\S/);
  const mark = HASH.test(language) ? "#" : language === "sql" || language === "lua" ? "--" : "//";
  for (let at = line.indexOf(mark); at !== -1; at = line.indexOf(mark, at + 1)) {
    const before = line.slice(0, at);
    const quotes = before.replace(/\\./g, "").match(/["'`]/g)?.length ?? 0;
    if (quotes % 2 === 0 && !before.endsWith(":") && (mark !== "#" || /(^|\s)$/.test(before))) return at;
  }
  return -1;
}

function push(tokens: Token[], kind: TokenKind, text: string): void {
  const last = tokens.at(-1);
  if (last?.kind === kind) tokens[tokens.length - 1] = { kind, text: last.text + text };
  else tokens.push({ kind, text });
}
