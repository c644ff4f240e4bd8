// "Copy as curl", "Copy as TypeScript" and "Copy link" of an object.

import { type ReactElement, useEffect, useState } from "react";
import { copyText } from "../core/clipboard.ts";
import { curlOf, linkOf, type ObjectRef, typescriptOf } from "../core/snippets.ts";
import { useConnection } from "../hooks/connection.ts";
import { Button } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { MenuButton, type MenuEntry } from "./menu.tsx";

/** Time for which a check mark says that the text was copied. */
const COPIED_MS = 1_500;

/** A long transcript has one for each turn, so the menu itself is made when it is first opened. */
export function CopyMenu({ object, name }: { object: ObjectRef; name: string }): ReactElement {
  const [isUsed, setUsed] = useState(false);
  if (isUsed) return <OpenCopyMenu object={object} name={name} />;
  return (
    <Button
      look="quiet"
      size="small"
      icon="link"
      aria-label={`Copy ${name}`}
      title={`Copy ${name}`}
      aria-haspopup="menu"
      onClick={() => setUsed(true)}
    />
  );
}

function OpenCopyMenu({ object, name }: { object: ObjectRef; name: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const entries = useCopyEntries(object, () => setCopied(true));
  return (
    <MenuButton
      className="button-icon"
      name={copied ? "Copied" : `Copy ${name}`}
      label={<Icon name={copied ? "check" : "link"} />}
      entries={entries}
      defaultOpen
    />
  );
}

/** Returns the three entries for a menu that has others, too. */
export function useCopyEntries(object: ObjectRef, onCopied: () => void = () => {}): MenuEntry[] {
  const { connection } = useConnection();
  const copy = (text: string): void => void copyText(text).then(onCopied);
  return [
    { label: "Copy as curl", icon: "copy", onSelect: () => copy(curlOf(connection, object)) },
    { label: "Copy as TypeScript", icon: "copy", onSelect: () => copy(typescriptOf(connection, object)) },
    { label: "Copy link", icon: "link", onSelect: () => copy(linkOf(location.href, object)) },
  ];
}
