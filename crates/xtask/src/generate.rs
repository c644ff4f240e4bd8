//! Files that are made from the code and checked in: `cargo xtask gen`.

use crate::shell::{Program, cargo, root, target};
use crate::tools::{Tools, WORKSPACE};
use anyhow::{Context, Result, bail};
use std::fs;
use std::process::ExitCode;

/// A file, and what prints it.
struct Generated {
    path: &'static str,
    printer: Printer,
}

/// A program that prints a file.
#[derive(Clone, Copy)]
enum Printer {
    /// A binary of ours and its command.
    Binary(&'static str, &'static [&'static str]),
    /// A script of a TypeScript package, for Node.js.
    Script(&'static str),
}

use Printer::{Binary, Script};

/// In this order, since the types are made from the document.
#[rustfmt::skip]
const FILES: [Generated; 8] = [
    Generated { path: "openapi/openapi.json", printer: Binary("examples/contract", &["openapi"]) },
    Generated { path: "crates/sa-http/src/query/operations.json", printer: Binary("examples/contract", &["queries"]) },
    Generated { path: "docs/cli.md", printer: Binary("sandbox-agent", &["gen", "cli-reference"]) },
    Generated { path: "schemas/universal/universal.schema.json", printer: Binary("examples/universal-schema", &[]) },
    Generated { path: "docs/compatibility.md", printer: Binary("sa-features", &["matrix"]) },
    Generated { path: "packages/sandbox-agent/src/generated/openapi.gen.ts", printer: Script("packages/sandbox-agent/scripts/generate-types.js") },
    Generated { path: "docs/http-api.md", printer: Script("packages/sandbox-agent/scripts/generate-http-api.js") },
    Generated { path: "docs/typescript-api.md", printer: Script("packages/sandbox-agent/scripts/generate-reference.js") },
];

/// Writes the files, or only says which are stale.
pub(crate) fn run(check: bool) -> Result<ExitCode> {
    let packages = ["sandbox-agent", "sa-features", "sa-http", "sa-universal"];
    let packages = packages.map(|name| format!("--package={name}"));
    let examples = ["--example", "contract", "--example", "universal-schema"];
    cargo(&["build", "--quiet", "--bins"]).args(&examples).args(&packages).run()?;
    let stale = stale(!check)?;
    for file in &stale {
        println!("{}{file}", if check { "" } else { "wrote " });
    }
    if stale.is_empty() {
        println!("all generated files are fresh");
    }
    Ok(if check && !stale.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Fails when a file is not what its printer, built before, makes of it now.
pub(crate) fn check() -> Result<()> {
    let stale = stale(false)?;
    if stale.is_empty() { Ok(()) } else { bail!("{}; run `cargo xtask gen`", stale.join("; ")) }
}

fn stale(write: bool) -> Result<Vec<String>> {
    let binaries = target()?.join("debug");
    // The scripts import packages.
    Tools::npm(WORKSPACE)?;
    let mut stale = Vec::new();
    for file in &FILES {
        let printer = match file.printer {
            Binary(name, command) => Program::new(binaries.join(name)).args(command),
            Script(path) => Program::new("node").args(&[path]),
        };
        let fresh = printer.output()?;
        let path = root().join(file.path);
        let present = fs::read_to_string(&path).unwrap_or_default();
        if let Some(difference) = difference(&present, &fresh) {
            stale.push(if write {
                file.path.to_owned()
            } else {
                format!("{} is stale {difference}", file.path)
            });
            if write {
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(&path, fresh).with_context(|| format!("cannot write {}", file.path))?;
            }
        }
    }
    Ok(stale)
}

/// Describes where two texts differ; nothing when they are equal.
fn difference(present: &str, fresh: &str) -> Option<String> {
    if present == fresh {
        return None;
    }
    if present.is_empty() {
        return Some("(it is missing)".to_owned());
    }
    let same = present.lines().zip(fresh.lines()).take_while(|(old, new)| old == new).count();
    Some(format!("from line {}", same + 1))
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_first_differing_line_is_named() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("", "a\n"), Some("(it is missing)".to_owned()));
        assert_eq!(difference("a\nb\nc\n", "a\nx\nc\n"), Some("from line 2".to_owned()));
        assert_eq!(difference("a\n", "a\nb\n"), Some("from line 2".to_owned()));
    }
}
