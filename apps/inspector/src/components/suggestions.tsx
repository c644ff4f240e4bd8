// Suggestions while writing: files after `@`, commands after a slash at the beginning.

import { useSandboxAgent } from "@sandbox-agent/react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactElement, type RefObject, useState } from "react";
import type { Command } from "sandbox-agent";
import { shortPath } from "../core/format.ts";
import { fuzzyFilter } from "../core/fuzzy.ts";

interface Suggestion {
  readonly name: string;
  readonly detail: string;
  /** Text that replaces what was typed. */
  readonly insert: string;
}

interface SuggestionsState {
  list: readonly Suggestion[];
  selected: number;
  onPick: (suggestion: Suggestion) => void;
  onChange: (text: string, cursor: number) => void;
  /** Returns true if the key was used. */
  onKeyDown: (event: React.KeyboardEvent) => boolean;
}

/** Most entries of the list. */
const SHOWN = 8;

export function useSuggestions(options: {
  text: string;
  setText: (text: string) => void;
  input: RefObject<HTMLTextAreaElement | null>;
  commands: readonly Command[];
  cwd: string | undefined;
}): SuggestionsState {
  const { text, setText, input, commands, cwd } = options;
  const [cursor, setCursor] = useState(0);
  const [selected, setSelected] = useState(0);
  const [closed, setClosed] = useState(false);
  const before = text.slice(0, cursor);
  const slash = /^\/(\S*)$/.exec(before)?.[1];
  const at = /(?:^|\s)@([^\s@]*)$/.exec(before)?.[1];
  const files = useFiles(at, cwd);
  const all =
    slash !== undefined
      ? fuzzyFilter(slash, commands, ({ name }) => name).map(fromCommand)
      : at !== undefined
        ? files
        : [];
  const list = closed ? [] : all.slice(0, SHOWN);

  const onPick = (suggestion: Suggestion): void => {
    const typed = slash !== undefined ? slash.length + 1 : (at?.length ?? 0) + 1;
    const start = before.slice(0, before.length - typed) + suggestion.insert;
    setText(start + text.slice(cursor));
    setCursor(start.length);
    setSelected(0);
    input.current?.focus();
  };

  return {
    list,
    selected: Math.min(selected, list.length - 1),
    onPick,
    onChange: (value, place) => {
      setText(value);
      setCursor(place);
      setSelected(0);
      setClosed(false);
    },
    onKeyDown: (event) => {
      const current = list[Math.min(selected, list.length - 1)];
      if (current === undefined) return false;
      if (event.key === "ArrowDown") setSelected((selected + 1) % list.length);
      else if (event.key === "ArrowUp") setSelected((selected + list.length - 1) % list.length);
      else if (event.key === "Escape") setClosed(true);
      else if (
        event.key === "Tab" ||
        (event.key === "Enter" && !event.shiftKey && current.insert.trim() !== before.trim())
      )
        onPick(current);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}

function fromCommand(command: Command): Suggestion {
  const hint = command.inputHint === undefined ? "" : ` ${command.inputHint}`;
  return { name: `/${command.name}${hint}`, detail: command.description, insert: `/${command.name} ` };
}

function useFiles(query: string | undefined, cwd: string | undefined): readonly Suggestion[] {
  const client = useSandboxAgent();
  const { data = [] } = useQuery({
    queryKey: ["mention", cwd, query],
    enabled: query !== undefined,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const letters = [...(query ?? "")].map((letter) => letter.replace(/[*?[\]{}\\/]/g, "\\$&"));
      const name = letters.length === 0 ? "*" : `*${letters.join("*")}*`;
      const page = await client.fs.searchPage(
        { ...(cwd === undefined ? {} : { path: cwd }), name, ignoreCase: true, limit: 200 },
        { signal },
      );
      const paths = page.matches.map((match) => shortPath(match.path, cwd));
      return fuzzyFilter(query ?? "", paths, (path) => path).slice(0, SHOWN);
    },
  });
  return data.map((path) => ({ name: path, detail: "", insert: `@${path} ` }));
}

export function Suggestions({ list, selected, onPick }: SuggestionsState): ReactElement | null {
  if (list.length === 0) return null;
  return (
    <div className="suggestions" role="listbox" aria-label="Suggestions">
      {list.map((suggestion, index) => (
        <button
          type="button"
          key={suggestion.name}
          className="suggestion"
          role="option"
          tabIndex={-1}
          aria-selected={index === selected}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(suggestion)}
        >
          <code className="suggestion-name truncate">{suggestion.name}</code>
          <span className="suggestion-detail truncate">{suggestion.detail}</span>
        </button>
      ))}
    </div>
  );
}
