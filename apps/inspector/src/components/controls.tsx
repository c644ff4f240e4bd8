// Buttons, fields and marks that every screen uses.

import { Menu } from "@base-ui/react/menu";
import { type ButtonHTMLAttributes, type ReactElement, type ReactNode, useEffect, useState } from "react";
import { copyText } from "../core/clipboard.ts";
import { Icon, type IconName } from "./icons.tsx";
import "./controls.css";
import "./menu.css";

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type"> {
  look?: "plain" | "primary" | "quiet" | "danger";
  size?: "small" | "normal";
  icon?: IconName;
  /** Key that does the same, shown in the button. */
  hint?: string;
  type?: "button" | "submit";
}

export function Button(props: ButtonProps): ReactElement {
  const {
    look = "plain",
    size = "normal",
    icon,
    hint,
    type = "button",
    children,
    className,
    ...rest
  } = props;
  const names = ["button", `button-${look}`, size === "small" ? "button-small" : "", className ?? ""];
  if (children === undefined) names.push("button-icon");
  return (
    <button type={type} className={names.filter((name) => name !== "").join(" ")} {...rest}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
      {hint === undefined ? null : (
        <span className="kbd" aria-hidden="true">
          {hint}
        </span>
      )}
    </button>
  );
}

export function CopyButton({ text, label = "Copy" }: { text: () => string; label?: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => void copyText(text()).then(() => setCopied(true));
  return (
    <Button
      look="quiet"
      size="small"
      icon={copied ? "check" : "copy"}
      aria-label={copied ? "Copied" : label}
      title={label}
      onClick={copy}
    />
  );
}

export interface MenuEntry {
  readonly label: string;
  readonly detail?: string | undefined;
  readonly icon?: IconName;
  readonly checked?: boolean;
  readonly danger?: boolean;
  readonly onSelect: () => void;
}

/** A button that opens a list of actions or choices. */
export function MenuButton(props: {
  label: ReactNode;
  name: string;
  entries: readonly MenuEntry[];
  className?: string;
  disabled?: boolean;
  side?: "top" | "bottom";
}): ReactElement {
  const { label, name, entries, className, disabled = false, side = "bottom" } = props;
  return (
    <Menu.Root>
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

export function Field(props: {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}): ReactElement {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label className="field">
      <span className="field-label">{props.label}</span>
      {props.children}
      {props.error === undefined ? null : <span className="field-error">{props.error}</span>}
      {props.hint === undefined ? null : <span className="field-hint">{props.hint}</span>}
    </label>
  );
}

export function Spinner(): ReactElement {
  return <span className="spinner" aria-hidden="true" />;
}
