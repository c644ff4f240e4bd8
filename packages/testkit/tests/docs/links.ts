// Relative links of a page: the file exists, and so does the heading.

import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ROOT, read } from "./pages.ts";

/** Returns the broken links of a page. */
export function brokenLinks(page: string): string[] {
  const text = read(page).replace(/^( *)```[\s\S]*?^\1```$/gm, "");
  const plain = text.replace(/`[^`\n]*`/g, "");
  const links = [
    ...plain.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g),
    ...plain.matchAll(/(?:href|src|srcset)="([^"]+)"/g),
    ...plain.matchAll(/^\[[^\]]+\]: (\S+)$/gm),
  ];
  return links.flatMap(([, link = ""]) => problem(page, link) ?? []);
}

function problem(page: string, link: string): string | undefined {
  if (/^(https?:|mailto:|agent:)/.test(link)) return undefined;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, target))) return `${page}: ${link}: there is no ${target}`;
  if (anchor === undefined || statSync(join(ROOT, target)).isDirectory() || !target.endsWith(".md"))
    return undefined;
  return anchors(target).has(anchor) ? undefined : `${page}: ${link}: ${target} has no such heading`;
}

const known = new Map<string, Set<string>>();

/** Returns the anchors of a page, as GitHub makes them. */
function anchors(page: string): Set<string> {
  const present = known.get(page);
  if (present !== undefined) return present;
  const found = new Set<string>();
  const text = read(page).replace(/^( *)```[\s\S]*?^\1```$/gm, "");
  for (const [, heading = ""] of text.matchAll(/^#{1,6} +(.*)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    let name = slug;
    for (let count = 1; found.has(name); count += 1) name = `${slug}-${count}`;
    found.add(name);
  }
  for (const [, id = ""] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) found.add(id);
  known.set(page, found);
  return found;
}
