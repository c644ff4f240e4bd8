// Makes the directories that a release publishes: the launcher, and one package for each platform's binary.
//
//   node packages/cli/scripts/release.js OUT linux-x64=target/x86_64-unknown-linux-musl/dist/sandbox-agent ...
//
// Then `npm publish OUT/<name>` for each, the launcher last: it depends on the others.

import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { root, workspaceVersion } from "./versions.js";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

function usage(message) {
  console.error(`${message}\nusage: release.js OUT PLATFORM=BINARY ...; platforms: ${PLATFORMS.join(", ")}`);
  process.exit(64);
}

function write(folder, manifest, readme) {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  if (readme !== undefined) writeFileSync(join(folder, "README.md"), readme);
  copyFileSync(resolve(root, "LICENSE"), join(folder, "LICENSE"));
}

/** Writes the package of one platform. */
function platformPackage(out, platform, binary, version) {
  const [os, cpu] = platform.split("-");
  const name = `@sandbox-agent/cli-${platform}`;
  const folder = join(out, `cli-${platform}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  const target = join(folder, "bin/sandbox-agent");
  copyFileSync(binary, target);
  chmodSync(target, 0o755);
  const manifest = {
    name,
    version,
    license: "Apache-2.0",
    description: `The sandbox-agent program for ${os} on ${cpu}`,
    os: [os],
    cpu: [cpu],
    files: ["bin/sandbox-agent"],
    // Package managers that keep packages in archives cannot run a program from there.
    preferUnplugged: true,
    publishConfig: { access: "public" },
  };
  write(folder, manifest, `# ${name}\n\n${manifest.description}. Install \`@sandbox-agent/cli\` instead.\n`);
  return name;
}

/** Writes the launcher, which depends on the packages of all platforms that the release has. */
function launcherPackage(out, names, version) {
  const source = resolve(import.meta.dirname, "..");
  const folder = join(out, "cli");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(source, "bin"), join(folder, "bin"), { recursive: true });
  copyFileSync(join(source, "README.md"), join(folder, "README.md"));
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const optionalDependencies = Object.fromEntries(names.map((name) => [name, version]));
  write(folder, { ...manifest, version, optionalDependencies });
}

const [out, ...binaries] = process.argv.slice(2);
if (out === undefined || binaries.length === 0) usage("nothing to do");
const version = workspaceVersion();
const names = binaries.map((entry) => {
  const [platform = "", binary = ""] = entry.split(/=(.*)/s);
  if (!PLATFORMS.includes(platform)) usage(`unknown platform '${platform}'`);
  if (!statSync(binary, { throwIfNoEntry: false })?.isFile()) usage(`no such file: '${binary}'`);
  return platformPackage(resolve(out), platform, binary, version);
});
launcherPackage(resolve(out), names, version);
console.log(`${version}: @sandbox-agent/cli, ${names.join(", ")}`);
