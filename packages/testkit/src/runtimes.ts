// The programs of other JavaScript runtimes. npm installs the package of this platform; the stubs in the main packages work
// only after install scripts, which nobody has to allow.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Returns the path of Bun. */
export function bunProgram(): string {
  const architecture = process.arch === "arm64" ? "aarch64" : process.arch;
  // An install script may have moved the program into the main package.
  return installed(`@oven/bun-${process.platform}-${architecture}/bin/bun`, "bun/bin/bun.exe");
}

/** Returns the path of Deno. */
export function denoProgram(): string {
  const platform = `${process.platform}-${process.arch}`;
  return installed(`@deno/${platform}-glibc/deno`, `@deno/${platform}/deno`);
}

/** Returns the path of workerd. */
export function workerdProgram(): string {
  const architecture = process.arch === "x64" ? "64" : process.arch;
  return installed(`@cloudflare/workerd-${process.platform}-${architecture}/bin/workerd`);
}

function installed(...files: string[]): string {
  for (const file of files) {
    try {
      return require.resolve(file);
    } catch {}
  }
  throw new Error(`none of these is installed: ${files.join(", ")}; run npm install`);
}
