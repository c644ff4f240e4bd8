// Commands of the palette and their keys.

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: string;
  readonly keys?: string | undefined;
  readonly run: () => void;
}

/** `⌘` on Apple's systems, `Ctrl` elsewhere. */
export const MOD: string = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl ";

export const SHORTCUTS: readonly { readonly keys: string; readonly what: string }[] = [
  { keys: `${MOD}K`, what: "Open the command palette" },
  { keys: "?", what: "Show the shortcuts" },
  { keys: "g h", what: "Go to Home" },
  { keys: "g s", what: "Search the sessions" },
  { keys: "g f", what: "Go to Files" },
  { keys: "g t", what: "Go to Terminals" },
  { keys: "g ,", what: "Go to Settings" },
  { keys: "c", what: "Start a session" },
  { keys: "j / k", what: "Move down or up in a list" },
  { keys: "/", what: "Write a message" },
  { keys: "⏎", what: "Send; while the agent works, queue" },
  { keys: "⇧⏎", what: "New line" },
  { keys: "Esc", what: "Interrupt the turn; twice cancels everything" },
  { keys: "↑", what: "Edit the last queued message" },
  { keys: `${MOD}J`, what: "Go to the request that waits for you" },
  { keys: `${MOD}\\`, what: "Show or hide the side panel" },
];
