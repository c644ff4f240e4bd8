// Rows of docs/compatibility.md that are not driven through the SDK.

/** Why, by the title of the row. */
export const undriven: Record<string, string> = {
  "Question without forms": "Clients of the SDK always show forms.",
  "Plan mode without a sandbox":
    "It is 'Plan mode reads only' with an agent whose helpers are missing, which no client notices.",
};
