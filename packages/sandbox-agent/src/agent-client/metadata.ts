// Metadata of sessions in messages: our members are in one namespace of `_meta`, next to those of others.

/** Namespace of our members. */
const NAMESPACE = "sandboxagent.dev";

export type Metadata = Readonly<Record<string, unknown>>;

/** Returns parameters with metadata in our namespace. Other members of `_meta`, and those that are there already, stay. */
export function injectMetadata<T extends object>(params: T, metadata: Metadata): T & { _meta: Metadata } {
  const others = isObject(params) && isObject(params["_meta"]) ? params["_meta"] : {};
  const own = isObject(others[NAMESPACE]) ? others[NAMESPACE] : {};
  return { ...params, _meta: { ...others, [NAMESPACE]: { ...own, ...metadata } } };
}

/** Returns the metadata in our namespace; empty if there is none. */
export function extractMetadata(message: unknown): Metadata {
  if (!isObject(message) || !isObject(message["_meta"])) return {};
  const own = message["_meta"][NAMESPACE];
  return isObject(own) ? own : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
