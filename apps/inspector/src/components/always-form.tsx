// The rule that "Always" adds to the session: offered by scope, and editable.

import { type ReactElement, useMemo, useState } from "react";
import type { AllowRule, PermissionReply, PermissionRequest } from "sandbox-agent";
import { scopesOf } from "../core/rules.ts";
import { Button, Field } from "./controls.tsx";

interface AlwaysFormProps {
  request: PermissionRequest;
  onReply: (reply: PermissionReply) => void;
  onBack: () => void;
}

export function AlwaysForm({ request, onReply, onBack }: AlwaysFormProps): ReactElement {
  const scopes = useMemo(() => scopesOf(request), [request]);
  const [rule, setRule] = useState<AllowRule>(scopes[0]?.rule ?? { tool: request.kind });
  const chosen = scopes.findIndex((scope) => isSame(scope.rule, rule));
  const own = request.options.filter((option) => option.reply === "always");
  return (
    <form
      className="always"
      aria-label="Rule"
      onSubmit={(event) => {
        event.preventDefault();
        onReply({ reply: "always", rule });
      }}
    >
      <p className="problem-detail">
        The daemon will not ask again in this session for calls that match this rule.
      </p>
      <div className="always-rule">
        <Field label="Scope">
          <select
            className="input"
            value={chosen}
            // biome-ignore lint/a11y/noAutofocus: the reader asked for this form
            autoFocus
            onChange={(event) => setRule(scopes[Number(event.target.value)]?.rule ?? rule)}
          >
            {scopes.map((scope, index) => (
              <option key={scope.label} value={index}>
                {scope.label}
              </option>
            ))}
            {chosen === -1 ? <option value={-1}>Custom</option> : null}
          </select>
        </Field>
        <Field label="Tool">
          <input
            className="input code"
            value={rule.tool}
            onChange={(event) => setRule({ ...rule, tool: event.target.value })}
          />
        </Field>
        <Field label="Matches">
          <input
            className="input code"
            value={rule.input ?? ""}
            placeholder="everything"
            title="Command, path or address. * stands for any characters."
            onChange={(event) => setRule(withInput(rule.tool, event.target.value))}
          />
        </Field>
      </div>
      <div className="card-actions">
        <Button type="submit" look="primary" hint="⏎" disabled={rule.tool.trim() === ""}>
          Always allow
        </Button>
        {own.map((option) => (
          <Button
            key={option.id}
            title="The agent remembers this itself, by its own rule"
            onClick={() => onReply({ reply: "always", optionId: option.id })}
          >
            {own.length === 1 ? "Agent's own rule" : `Agent's own rule: ${option.name}`}
          </Button>
        ))}
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}

function isSame(one: AllowRule, other: AllowRule): boolean {
  return one.tool === other.tool && one.input === other.input;
}

function withInput(tool: string, input: string): AllowRule {
  return input === "" ? { tool } : { tool, input };
}
