// A button that opens a list of actions or choices.

import { Menu } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";
import "./menu.css";

export interface MenuEntry {
  readonly label: string;
  readonly detail?: string | undefined;
  readonly icon?: IconName;
  readonly checked?: boolean;
  readonly danger?: boolean;
  readonly onSelect: () => void;
}

export function MenuButton(props: {
  label: ReactNode;
  name: string;
  entries: readonly MenuEntry[];
  className?: string;
  disabled?: boolean;
  side?: "top" | "bottom";
  /** True if the menu is open when it appears. */
  defaultOpen?: boolean;
}): ReactElement {
  const { label, name, entries, className, disabled = false, side = "bottom", defaultOpen = false } = props;
  return (
    <Menu.Root defaultOpen={defaultOpen}>
      <Menu.Trigger
        className={`button button-quiet button-small ${className ?? ""}`}
        aria-label={name}
        title={name}
        disabled={disabled}
      >
        {label}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side={side} align="start" sideOffset={4} className="menu-positioner">
          <Menu.Popup className="menu">
            {entries.map((entry) => (
              <Menu.Item
                key={entry.label}
                className={entry.danger === true ? "menu-item menu-item-danger" : "menu-item"}
                onClick={entry.onSelect}
              >
                <span className="menu-mark">
                  {entry.checked === true ? <Icon name="check" /> : null}
                  {entry.icon === undefined ? null : <Icon name={entry.icon} />}
                </span>
                <span className="menu-text">
                  <span>{entry.label}</span>
                  {entry.detail === undefined ? null : <span className="menu-detail">{entry.detail}</span>}
                </span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
