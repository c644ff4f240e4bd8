// The icon set: 16 px, one stroke width, drawn here so that all of them look alike.

import type { ReactElement } from "react";

const PATHS = {
  home: "M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5",
  files: "M2.5 12.5v-9h4l1.5 2h5.5v7z",
  terminal: "M3 4.5 6 8l-3 3.5M7.5 12H13",
  settings: "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.2v3.6M6 9.2v3.6",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M10.5 10.5 13.5 13.5",
  plus: "M8 3v10M3 8h10",
  grip: "M6 4h.01M6 8h.01M6 12h.01M10 4h.01M10 8h.01M10 12h.01",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5 6.5 12 13 4.5",
  chevron: "M6 4l4 4-4 4",
  down: "M4 6l4 4 4-4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  edit: "M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2zM9.3 4.5l2.2 2.2",
  read: "M4 2.5h5.5L12 5v8.5H4zM9.5 2.5V5H12M6 8h4M6 10.5h4",
  delete: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9",
  move: "M2.5 8h10M9 4.5 12.5 8 9 11.5",
  run: "M5 3.5v9l7-4.5z",
  think:
    "M8 2.5v2M8 11.5v2M2.5 8h2M11.5 8h2M4.1 4.1l1.4 1.4M10.5 10.5l1.4 1.4M4.1 11.9l1.4-1.4M10.5 5.5l1.4-1.4",
  fetch: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11M2.5 8h11M8 2.5c2 2 2 9 0 11M8 2.5c-2 2-2 9 0 11",
  mode: "M3 5h8.5M9 2.5 11.5 5 9 7.5M13 11H4.5M7 8.5 4.5 11 7 13.5",
  tool: "M9.5 3.5a3 3 0 0 0-3.3 4.1L2.7 11.1l2.2 2.2 3.5-3.5a3 3 0 0 0 4.1-3.3L10.7 8.3 8 8V5.3z",
  agent: "M4 5.5h8v6.5H4zM8 5.5V3M6.5 8.5h.01M9.5 8.5h.01M2.5 8v2M13.5 8v2",
  stop: "M4.5 4.5h7v7h-7z",
  send: "M8 13V3.5M4 7.5l4-4 4 4",
  attach:
    "M10.8 5.2 6.3 9.7a1.1 1.1 0 0 0 1.5 1.5l5-5a2.6 2.6 0 0 0-3.7-3.7l-5 5a4.1 4.1 0 0 0 5.8 5.8l3.3-3.3",
  fork: "M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M11.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M4.5 5.5v5M11.5 5.5c0 3-4 2-7 4.5",
  download: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  upload: "M8 11V3M4.5 6.5 8 3l3.5 3.5M3 13.5h10",
  diff: "M4.5 2.5v6M1.5 5.5h6M8.5 12h6M11.5 4 4.5 12",
  events: "M2.5 4h11M2.5 8h11M2.5 12h7",
  panel: "M2.5 3.5h11v9h-11zM10 3.5v9",
  question:
    "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11M6.5 6.5c0-2 3-2 3 0 0 1-1.5 1.2-1.5 2.3M8 10.8h.01",
  shield: "M8 2.5l4.5 1.5v4c0 2.5-2 4.5-4.5 5.5-2.5-1-4.5-3-4.5-5.5V4z",
  warning: "M8 3 14 13H2zM8 7v2.5M8 11.3h.01",
  pause: "M5.5 4v8M10.5 4v8",
  refresh: "M12.8 6.5A5 5 0 1 0 13 9M13 3v3.5H9.5",
  link: "M7 9a2.5 2.5 0 0 0 3.5 0l2-2A2.5 2.5 0 0 0 9 3.5l-.8.8M9 7a2.5 2.5 0 0 0-3.5 0l-2 2A2.5 2.5 0 0 0 7 12.5l.8-.8",
  list: "M6 4h7.5M6 8h7.5M6 12h7.5M2.5 4l.8.8L4.5 3.4M2.5 8l.8.8 1.2-1.4M2.5 12l.8.8 1.2-1.4",
  up: "M8 13V3.5M4.5 7 8 3.5 11.5 7",
  folder: "M2.5 12.5v-9h4l1.5 2h5.5v7z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): ReactElement {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth={name === "more" ? 2 : 1.3}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
