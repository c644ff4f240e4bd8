// The command palette: sessions, places and actions by a few letters.

import { useSessions } from "@sandbox-agent/react";
import { type ReactElement, useEffect, useRef, useState } from "react";
import type { Command } from "../core/commands.ts";
import { fuzzyFilter } from "../core/fuzzy.ts";
import { sessionTitle } from "../core/session-list.ts";
import { useConnection } from "../hooks/connection.ts";
import { useRoute } from "../hooks/route.ts";
import { useTheme } from "../hooks/theme.ts";
import { Dialog } from "./dialog.tsx";

interface PaletteProps {
  onClose: () => void;
  onNew: () => void;
  onShortcuts: () => void;
}

export function Palette(props: PaletteProps): ReactElement {
  const [query, setQuery] = useState("");
  const [selected, setSelected] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const commands = useCommands(props);
  const shown = fuzzyFilter(query, commands, (command) => `${command.label} ${command.group}`).slice(0, 50);
  const at = Math.min(selected, shown.length - 1);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    props.onClose();
    command.run();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === "ArrowDown") setSelected((at + 1) % shown.length);
    else if (event.key === "ArrowUp") setSelected((at + shown.length - 1) % shown.length);
    else if (event.key === "Enter") run(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Command palette" title={false} onClose={props.onClose}>
      <input
        className="palette-input"
        role="combobox"
        data-first=""
        aria-label="Search sessions and commands"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={at >= 0 ? `palette-${at}` : undefined}
        placeholder="Search sessions and commands"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setSelected(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette-list" id="palette-list" role="listbox" aria-label="Results" ref={list}>
        {shown.map((command, index) => (
          <button
            type="button"
            key={command.id}
            id={`palette-${index}`}
            className="palette-item"
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onMouseMove={() => setSelected(index)}
            onClick={() => run(command)}
          >
            <span className="truncate">{command.label}</span>
            <span className="palette-group">{command.keys ?? command.group}</span>
          </button>
        ))}
      </div>
    </Dialog>
  );
}

function useCommands({ onNew, onShortcuts }: PaletteProps): Command[] {
  const { sessions } = useSessions();
  const { go } = useRoute();
  const { disconnect } = useConnection();
  const [, setTheme] = useTheme();
  const places: Command[] = [
    { id: "new", label: "Start a session", group: "Action", keys: "c", run: onNew },
    { id: "home", label: "Go to Home", group: "Place", keys: "g h", run: () => go({ screen: "home" }) },
    {
      id: "files",
      label: "Go to Files",
      group: "Place",
      keys: "g f",
      run: () => go({ screen: "files", path: undefined }),
    },
    {
      id: "terminals",
      label: "Go to Terminals",
      group: "Place",
      keys: "g t",
      run: () => go({ screen: "terminals" }),
    },
    {
      id: "settings",
      label: "Go to Settings",
      group: "Place",
      keys: "g ,",
      run: () => go({ screen: "settings" }),
    },
    { id: "keys", label: "Show keyboard shortcuts", group: "Help", keys: "?", run: onShortcuts },
    { id: "light", label: "Use the light theme", group: "Theme", run: () => setTheme("light") },
    { id: "dark", label: "Use the dark theme", group: "Theme", run: () => setTheme("dark") },
    { id: "system", label: "Use the system's theme", group: "Theme", run: () => setTheme("system") },
    { id: "disconnect", label: "Disconnect", group: "Action", run: () => disconnect() },
  ];
  const open = sessions.map(
    (session): Command => ({
      id: `session ${session.sessionId}`,
      label: sessionTitle(session),
      group: session.agent,
      run: () => go({ screen: "session", id: session.sessionId, panel: undefined }),
    }),
  );
  return [...open, ...places];
}
