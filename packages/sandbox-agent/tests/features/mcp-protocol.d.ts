/** Returns the answer of the MCP server to a message, or undefined for a notification. */
export function answer(message: unknown, greeting: string): Record<string, unknown> | undefined;
