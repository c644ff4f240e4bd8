// The version of the Rust workspace is the version of everything that is published.
//
//   node packages/cli/scripts/versions.js           writes it into the packages
//   node packages/cli/scripts/versions.js --check   fails if one differs

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const root = resolve(import.meta.dirname, "../../..");

/** Other files that name the version: what comes before it, and what after it. */
const PLACES = [
  ["packages/sandbox-agent/src/providers/version.ts", /(VERSION = ").*(")/],
  ["packaging/devcontainer/devcontainer-feature.json", /("version": ").*(")/],
  ["deploy/helm/sandbox-agent/Chart.yaml", /^((?:version|appVersion): ).*$/gm],
  ["deploy/kubernetes/stateful-set.yaml", /(image: sandbox-agent:).*/g],
  ["deploy/kubernetes/agent-sandbox/sandbox.yaml", /(image: sandbox-agent:).*/g],
  ["deploy/kubernetes/agent-sandbox/pool.yaml", /(image: sandbox-agent:).*/g],
];

/** Returns the version in Cargo.toml. */
export function workspaceVersion() {
  const text = readFileSync(resolve(root, "Cargo.toml"), "utf8");
  const version = /^\[workspace\.package\][^[]*?^version = "([^"]+)"$/ms.exec(text)?.[1];
  if (version === undefined) throw new Error("Cargo.toml has no version in [workspace.package]");
  return version;
}

/** Returns a manifest with the version of the workspace, also where it names other packages of the workspace. */
function withVersion(manifest, names, version) {
  const result = { ...manifest, version };
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
    const entries = Object.entries(manifest[kind] ?? {});
    if (entries.length === 0) continue;
    result[kind] = Object.fromEntries(entries.map(([name, old]) => [name, names.has(name) ? version : old]));
  }
  return result;
}

/** Returns the files whose version is not that of the workspace, with the content they should have. */
export function outdated() {
  const version = workspaceVersion();
  const folders = readdirSync(resolve(root, "packages"));
  const manifests = folders.map((folder) => {
    const path = resolve(root, "packages", folder, "package.json");
    const text = readFileSync(path, "utf8");
    return { path, text, manifest: JSON.parse(text) };
  });
  const published = manifests.filter(({ manifest }) => manifest.private !== true);
  const names = new Set(published.map(({ manifest }) => manifest.name));
  const files = published.map(({ path, text, manifest }) => {
    return { path, text, wanted: `${JSON.stringify(withVersion(manifest, names, version), null, 2)}\n` };
  });
  for (const [path, pattern] of PLACES) {
    const text = readFileSync(resolve(root, path), "utf8");
    const wanted = text.replace(
      pattern,
      (_, before, after) => before + version + (typeof after === "string" ? after : ""),
    );
    files.push({ path: resolve(root, path), text, wanted });
  }
  return files.filter((file) => file.text !== file.wanted);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const files = outdated();
  const isCheck = process.argv.includes("--check");
  for (const { path, wanted } of files) {
    if (!isCheck) writeFileSync(path, wanted);
    console.log(`${isCheck ? "outdated" : "updated"}: ${path}`);
  }
  if (isCheck && files.length > 0) process.exit(1);
}
