// Markdown in blocks. A block that is complete never changes while later ones stream in, so nothing reflows.

import DOMPurify from "dompurify";
import { lexer, parser, type Token } from "marked";

export type Block =
  | { readonly type: "code"; readonly key: string; readonly language: string; readonly text: string }
  | { readonly type: "html"; readonly key: string; readonly html: string };

const htmlByRaw = new Map<string, string>();
/** Blocks that are kept rendered. */
const CACHE = 2_000;

const ALLOWED = {
  ALLOWED_TAGS:
    "a p br hr strong em del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td input span sup sub kbd details summary".split(
      " ",
    ),
  ALLOWED_ATTR: ["href", "title", "align", "start", "type", "checked", "disabled"],
};

/** Splits a text into blocks that can be shown. */
export function blocksOf(markdown: string): Block[] {
  const tokens = lexer(markdown, { gfm: true, breaks: false });
  return tokens.flatMap((token, index): Block[] => {
    const key = `${index}:${token.type}`;
    if (token.type === "space") return [];
    if (token.type === "code") {
      const language = String(token["lang"] ?? "").split(/\s/)[0] ?? "";
      return [{ type: "code", key, language: language.toLowerCase(), text: String(token["text"]) }];
    }
    return [{ type: "html", key, html: htmlOf(token) }];
  });
}

function htmlOf(token: Token): string {
  const known = htmlByRaw.get(token.raw);
  if (known !== undefined) return known;
  const html = DOMPurify.sanitize(parser([withoutImages(token)]), ALLOWED);
  if (htmlByRaw.size >= CACHE) htmlByRaw.clear();
  htmlByRaw.set(token.raw, html);
  return html;
}

/** An image would be a request to another origin, so it becomes a link that the reader may follow. */
function withoutImages<T extends Token>(token: T): T {
  const copy = { ...token } as Record<string, unknown>;
  if (copy["type"] === "image") copy["type"] = "link";
  for (const name of ["tokens", "items", "header", "rows"]) {
    const value = copy[name];
    if (Array.isArray(value)) copy[name] = value.map(withoutImagesDeep);
  }
  return copy as T;
}

function withoutImagesDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutImagesDeep);
  return typeof value === "object" && value !== null ? withoutImages(value as Token) : value;
}

/** Links open elsewhere, so that they neither replace the page nor learn its address. */
DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});
