// The file and configuration methods of the published client `sandbox-agent` of a peer product, unchanged, against the
// daemon.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SandboxAgent } from "sandbox-agent";
import { TOKEN, startDaemon } from "../harness/daemon.js";

let daemon;
let client;
before(async () => {
  daemon = await startDaemon();
  client = await SandboxAgent.connect({ baseUrl: daemon.url, token: TOKEN });
});
after(async () => {
  await client.dispose();
  await daemon.stop();
});

const decode = (bytes) => new TextDecoder().decode(bytes);

/** A directory of the test's own. */
function directory(name) {
  const path = join(daemon.home, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** The status and the code of the problem that a call is refused with. */
async function refused(call) {
  const error = await call.then(
    () => assert.fail("it was not refused"),
    (reason) => reason,
  );
  assert.equal(error.name, "SandboxAgentError");
  return [error.status, error.problem.type.replace("urn:sandbox-agent:error:", "")];
}

test("files are written, read, described, listed, moved and deleted", async () => {
  const root = directory("basics");
  const nested = join(root, "nested");
  const file = join(nested, "hello.txt");
  assert.deepEqual(await client.mkdirFs({ path: nested }), { path: nested });
  const written = await client.writeFsFile({ path: file }, "hello from a client");
  assert.deepEqual([written.path, written.bytesWritten], [file, 19]);
  assert.equal(decode(await client.readFsFile({ path: file })), "hello from a client");
  const stat = await client.statFs({ path: file });
  assert.deepEqual([stat.path, stat.entryType, stat.size], [file, "file", 19]);
  assert.ok(Math.abs(Date.parse(stat.modified) - Date.now()) < 600_000, stat.modified);
  const entries = await client.listFsEntries({ path: root });
  assert.deepEqual(
    entries.map(({ name, path, entryType }) => [name, path, entryType]),
    [["nested", nested, "directory"]],
  );
  const moved = join(root, "moved.txt");
  assert.deepEqual(await client.moveFs({ from: file, to: moved, overwrite: true }), { from: file, to: moved });
  assert.deepEqual(await client.deleteFsEntry({ path: moved }), { path: moved });
  assert.deepEqual(await client.deleteFsEntry({ path: root, recursive: true }), { path: root });
});

test("relative paths and no path at all mean the workspace", async () => {
  await client.writeFsFile({ path: "./relative dir/a+b&c.txt" }, "x");
  assert.equal(readFileSync(join(daemon.home, "relative dir/a+b&c.txt"), "utf8"), "x");
  assert.ok((await client.listFsEntries()).some((entry) => entry.name === "relative dir"));
});

test("files of any size and any bytes go both ways", async () => {
  const bytes = new Uint8Array(5 * 1024 * 1024).map((_, index) => index % 251);
  const path = join(directory("large"), "five.bin");
  assert.equal((await client.writeFsFile({ path }, bytes)).bytesWritten, bytes.length);
  assert.deepEqual(Buffer.from(await client.readFsFile({ path })), Buffer.from(bytes));
  await client.writeFsFile({ path }, new Blob(["from ", "a blob"]));
  assert.equal(decode(await client.readFsFile({ path })), "from a blob");
});

test("an archive is unpacked, and one that leads out is refused", async () => {
  const source = directory("source");
  mkdirSync(join(source, "deep"));
  writeFileSync(join(source, "deep/batch.txt"), "batch upload works");
  writeFileSync(join(source, "large"), Buffer.alloc(3_000_000, 1));
  const archive = execFileSync("tar", ["-c", "-f", "-", "-C", source, "."], { maxBuffer: 1 << 24 });
  const target = join(daemon.home, "target");
  const result = await client.uploadFsBatch(archive, { path: target });
  assert.deepEqual(result.paths.toSorted(), [join(target, "deep/batch.txt"), join(target, "large")]);
  assert.equal(result.truncated, false);
  assert.equal(decode(await client.readFsFile({ path: join(target, "deep/batch.txt") })), "batch upload works");
  const climbing = execFileSync("tar", ["-c", "-P", "-f", "-", "-C", source, "../source/large"], { maxBuffer: 1 << 24 });
  assert.deepEqual(await refused(client.uploadFsBatch(climbing, { path: target })), [400, "invalid_request"]);
});

test("what goes wrong is told apart", async () => {
  const root = directory("errors");
  const file = join(root, "file");
  writeFileSync(file, "kept");
  symlinkSync("nowhere", join(root, "dangling"));
  const missing = join(root, "missing");
  assert.deepEqual(await refused(client.readFsFile({ path: missing })), [404, "not_found"]);
  assert.deepEqual(await refused(client.statFs({ path: missing })), [404, "not_found"]);
  assert.deepEqual(await refused(client.moveFs({ from: missing, to: file, overwrite: true })), [404, "not_found"]);
  assert.equal(readFileSync(file, "utf8"), "kept");
  await client.moveFs({ from: file, to: file, overwrite: true });
  assert.equal(readFileSync(file, "utf8"), "kept");
  assert.deepEqual(await refused(client.moveFs({ from: root, to: file })), [409, "conflict"]);
  assert.deepEqual(await refused(client.readFsFile({ path: root })), [409, "conflict"]);
  assert.deepEqual(await refused(client.deleteFsEntry({ path: root })), [409, "conflict"]);
  assert.deepEqual(await refused(client.mkdirFs({ path: join(file, "below") })), [409, "conflict"]);
  assert.equal((await client.statFs({ path: join(root, "dangling") })).entryType, "symlink");
  await client.deleteFsEntry({ path: join(root, "dangling") });
});

test("MCP servers and skills are kept for a directory", async () => {
  const place = { directory: directory("project"), mcpName: "files" };
  const local = { type: "local", command: "npx", args: ["-y", "server"], env: { KEY: "value" }, enabled: true, timeoutMs: 5 };
  const remote = { type: "remote", url: "https://example.org/mcp", headers: { A: "b" }, bearerTokenEnvVar: "TOKEN" };
  for (const config of [local, remote]) {
    assert.equal(await client.setMcpConfig(place, config), undefined);
    assert.deepEqual(await client.getMcpConfig(place), config);
  }
  assert.equal(await client.deleteMcpConfig(place), undefined);
  assert.deepEqual(await refused(client.getMcpConfig(place)), [404, "not_found"]);

  const skills = { sources: [{ type: "github", source: "owner/name", skills: ["one"], ref: "main" }] };
  const skillPlace = { directory: place.directory, skillName: "default" };
  await client.setSkillsConfig(skillPlace, skills);
  assert.deepEqual(await client.getSkillsConfig(skillPlace), skills);
  await client.deleteSkillsConfig(skillPlace);
  assert.deepEqual(await refused(client.getSkillsConfig(skillPlace)), [404, "not_found"]);
});

test("sixty writes of configuration at once lose nothing", async () => {
  const project = directory("parallel");
  const names = Array.from({ length: 60 }, (_, index) => `server-${index}`);
  const config = (command) => ({ type: "local", command });
  await Promise.all(names.map((mcpName) => client.setMcpConfig({ directory: project, mcpName }, config(mcpName))));
  for (const mcpName of names) {
    assert.deepEqual(await client.getMcpConfig({ directory: project, mcpName }), config(mcpName));
  }
});
