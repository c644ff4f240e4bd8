// Mode, model and variant with the agent's own names.

import type { ReactElement } from "react";
import type { SessionChoice, SessionChoices, SessionPatch } from "sandbox-agent";
import { MenuButton, type MenuEntry } from "./menu.tsx";

export function SessionPickers(props: {
  choices: SessionChoices;
  onChange: (patch: SessionPatch) => Promise<unknown>;
  disabled: boolean;
}): ReactElement {
  const { choices, onChange, disabled } = props;
  const change = (patch: SessionPatch): void => void onChange(patch);
  return (
    <>
      <Picker
        name="Mode"
        value={choices.mode}
        list={choices.modes}
        disabled={disabled}
        onPick={(agentMode) => change({ agentMode })}
      />
      <Picker
        name="Model"
        value={choices.model}
        list={choices.models}
        disabled={disabled}
        onPick={(model) => change({ model })}
      />
      <Picker
        name="Effort"
        value={choices.variant}
        list={choices.variants}
        disabled={disabled}
        onPick={(variant) => change({ variant })}
      />
    </>
  );
}

function Picker(props: {
  name: string;
  value: string | undefined;
  list: readonly SessionChoice[];
  disabled: boolean;
  onPick: (id: string) => void;
}): ReactElement | null {
  const { name, value, list, disabled, onPick } = props;
  if (list.length === 0) return null;
  const current = list.find((choice) => choice.id === value);
  const entries = list.map(
    (choice): MenuEntry => ({
      label: choice.name,
      detail: choice.description,
      checked: choice.id === value,
      onSelect: () => onPick(choice.id),
    }),
  );
  return (
    <MenuButton
      className="picker"
      side="top"
      disabled={disabled}
      name={`${name}: ${current?.name ?? value ?? "default"}`}
      label={<span className="truncate">{current?.name ?? value ?? name}</span>}
      entries={entries}
    />
  );
}
