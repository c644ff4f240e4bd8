// Reads the program that is uploaded into a sandbox. Only here do providers need a file system.
/// <reference types="node" />

/** Returns the content of a program for Linux. */
export async function readProgram(path: string): Promise<Uint8Array> {
  const { readFile } = await import("node:fs/promises");
  const content = await readFile(path);
  const isElf = content.subarray(0, 4).equals(new Uint8Array([0x7f, 0x45, 0x4c, 0x46]));
  const isScript = content.subarray(0, 2).toString() === "#!";
  if (isElf || isScript) return content;
  throw new Error(`'${path}' is not a program for Linux; pass one to 'program.file'`);
}
