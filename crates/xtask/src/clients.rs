//! Generates clients from the OpenAPI document with the tools that people use, and runs a program written with each.

mod daemon;
mod schemathesis;

pub(crate) use schemathesis::run as fuzz;

use crate::shell::{Program, root};
use crate::tools::Tools;
use anyhow::{Context, Result, bail};
use daemon::{Daemon, Programs, TOKEN};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENT: &str = "openapi/openapi.json";

/// The generators' command lines, each for its folder, as `clients/README.md` shows them.
const TYPES: &str = "openapi-typescript ../../openapi/openapi.json -o dist/generated/schema.ts";
const FUNCTIONS: &str = "openapi-ts --file openapi-ts.config.js --no-log-file";
const PACKAGE: &str = "openapi-python-client generate --meta none --fail-on-warning --config generator.yml \
                       --path ../../openapi/openapi.json --output-path dist/sandbox_agent_client";

/// Words in a generator's output that mean that something of the document is lost.
const COMPLAINTS: [&str; 4] = ["warn", "⚠", "error", "skipp"];

/// Generates, type-checks and runs every client.
pub(crate) fn run() -> Result<()> {
    let operations = operations()?;
    let npm = Tools::npm("clients")?;
    let python = Tools::python("clients")?;
    let outcomes = [
        typescript(&npm, "openapi-typescript", TYPES, "schema.ts", &operations, |name| {
            format!("operations[\"{name}\"]")
        })
        .context("openapi-typescript"),
        typescript(&npm, "hey-api", FUNCTIONS, "sdk.gen.ts", &operations, |name| {
            format!("export const {name} =")
        })
        .context("@hey-api/openapi-ts"),
        openapi_python_client(&python, &operations).context("openapi-python-client"),
    ];
    // All run, however many fail.
    let failures: Vec<String> =
        outcomes.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("\n")) }
}

/// Generates a client into a folder. Its `main` file must hold the mark of every operation; the program with it must run.
fn typescript(
    tools: &Tools,
    name: &str,
    command: &str,
    main: &str,
    operations: &[String],
    mark: impl Fn(&str) -> String,
) -> Result<()> {
    let folder = fresh(name)?;
    generate(tools, command, &folder)?;
    let code = fs::read_to_string(folder.join("dist/generated").join(main))?;
    complete(operations, &code, mark)?;
    tools.program("tsc").args(&["--project", "."]).folder(&folder).run()?;
    smoke(Program::new("node").args(&["dist/built/smoke.js"]).folder(&folder))
}

fn openapi_python_client(tools: &Tools, operations: &[String]) -> Result<()> {
    let folder = fresh("python")?;
    generate(tools, PACKAGE, &folder)?;
    let mut modules = String::new();
    for tag in fs::read_dir(folder.join("dist/sandbox_agent_client/api"))? {
        let tag = tag?.path();
        for module in tag.is_dir().then(|| fs::read_dir(&tag)).transpose()?.into_iter().flatten() {
            modules.push_str(&format!("/{}\n", module?.file_name().to_string_lossy()));
        }
    }
    complete(operations, &modules, |name| format!("/{}.py\n", snake_case(name)))?;
    tools.program("mypy").args(&["smoke.py"]).folder(&folder).run()?;
    smoke(tools.program("python").args(&["smoke.py"]).env("PYTHONPATH", "dist").folder(&folder))
}

/// Returns the folder of a client, without what an earlier run generated.
fn fresh(name: &str) -> Result<PathBuf> {
    let folder = root().join("clients").join(name);
    let generated = folder.join("dist");
    if generated.exists() {
        fs::remove_dir_all(&generated)?;
    }
    fs::create_dir_all(&generated)?;
    Ok(folder)
}

/// Runs a generator, which must have nothing to complain about.
fn generate(tools: &Tools, command: &str, folder: &Path) -> Result<()> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (program, arguments) = words.split_first().context("the command is empty")?;
    let output = tools.program(program).args(arguments).folder(folder).everything()?;
    match complaint(&output) {
        Some(line) => bail!("the generator complains: {line}\n{output}"),
        None => Ok(()),
    }
}

fn complaint(output: &str) -> Option<&str> {
    output.lines().find(|line| {
        let line = line.to_lowercase();
        COMPLAINTS.iter().any(|word| line.contains(word))
    })
}

/// Fails unless the generated code has every operation: some generators drop silently what they do not understand.
fn complete(operations: &[String], code: &str, mark: impl Fn(&str) -> String) -> Result<()> {
    let missing: Vec<&str> =
        operations.iter().map(String::as_str).filter(|name| !code.contains(&mark(name))).collect();
    if missing.is_empty() { Ok(()) } else { bail!("operations without a function: {}", missing.join(", ")) }
}

/// Runs a program against a new daemon.
fn smoke(program: Program) -> Result<()> {
    let daemon = Daemon::start(Programs::All)?;
    let program = program.env("SANDBOX_AGENT_URL", &daemon.url).env("SANDBOX_AGENT_TOKEN", TOKEN);
    program.run().with_context(|| format!("the daemon wrote:\n{}", daemon.log()))?;
    daemon.stop()
}

/// Returns the ids of all operations in the document.
fn operations() -> Result<Vec<String>> {
    let document: Value = serde_json::from_str(&fs::read_to_string(root().join(DOCUMENT))?)?;
    let paths = document.get("paths").and_then(Value::as_object).context("the document has no paths")?;
    let methods = paths.values().filter_map(Value::as_object).flat_map(serde_json::Map::values);
    let ids = methods.filter_map(|operation| operation.get("operationId")?.as_str());
    Ok(ids.map(str::to_owned).collect())
}

fn snake_case(name: &str) -> String {
    let letters = |c: char| c.is_ascii_uppercase().then_some('_').into_iter().chain([c.to_ascii_lowercase()]);
    name.chars().flat_map(letters).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn complaints_of_generators_are_found() {
        assert_eq!(complaint("✨ openapi-typescript 7\n🚀 done\n"), None);
        for line in ["Warning(s) encountered while generating.", "⚠ x", "Skipping x", "[ERROR] x"] {
            assert_eq!(complaint(&format!("fine\n{line}\nfine")), Some(line));
        }
    }

    #[test]
    fn the_readme_shows_the_commands_that_run() {
        let readme = fs::read_to_string(root().join("clients/README.md")).unwrap();
        let words =
            |text: &str| text.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ");
        for command in [TYPES, FUNCTIONS, PACKAGE] {
            assert!(words(&readme).contains(&words(command)), "{command}");
        }
    }

    #[test]
    fn an_operation_that_was_dropped_is_named() {
        let operations = ["getThing", "setThing"].map(str::to_owned);
        let mark = |name: &str| format!("/{}.py", snake_case(name));
        let error = complete(&operations, "/get_thing.py", mark).unwrap_err().to_string();
        assert_eq!(error, "operations without a function: setThing");
        assert!(complete(&operations, "/get_thing.py /set_thing.py", mark).is_ok());
    }
}
