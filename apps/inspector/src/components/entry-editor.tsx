// Edits one named entry of a configuration as JSON.

import { type ReactElement, useState } from "react";
import { Button, Field } from "./controls.tsx";
import { ProblemView } from "./problem.tsx";

interface EntryEditorProps {
  name: string;
  value: unknown;
  onSave: (name: string, value: unknown) => Promise<void>;
  onCancel: () => void;
}

export function EntryEditor({ name: first, value, onSave, onCancel }: EntryEditorProps): ReactElement {
  const [name, setName] = useState(first);
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [error, setError] = useState<unknown>();
  const save = async (): Promise<void> => {
    try {
      await onSave(name.trim(), JSON.parse(text));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form
      className="entry-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label="Name">
        <input
          className="input"
          required
          value={name}
          readOnly={first !== ""}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label="Configuration">
        <textarea
          className="input"
          rows={5}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      {error === undefined ? null : <ProblemView error={error} onDismiss={() => setError(undefined)} />}
      <div className="card-actions">
        <Button type="submit" look="primary" size="small">
          Save
        </Button>
        <Button look="quiet" size="small" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
