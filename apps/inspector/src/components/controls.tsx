// Buttons, fields and marks that every screen uses.

import { type ButtonHTMLAttributes, type ReactElement, type ReactNode, useEffect, useState } from "react";
import { copyText } from "../core/clipboard.ts";
import { Icon, type IconName } from "./icons.tsx";
import "./controls.css";

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
