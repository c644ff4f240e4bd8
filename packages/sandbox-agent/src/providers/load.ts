// Providers' SDKs are optional: each is loaded when its provider is used first.

import { SandboxStartError } from "./provider.ts";

/** Imports the SDK of a provider. */
export async function load<T>(provider: string, install: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `cannot load its SDK; run 'npm install ${install}' (${why})`;
    throw new SandboxStartError({ provider, step: "load", cause: new Error(message, { cause: error }) });
  }
}
