//! The exact dependencies between crates: the picture in the architecture document, as a table.

use super::Finding;
use super::metadata::packages;
use super::sources::Sources;
use anyhow::Result;
use serde::Deserialize;

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
}

/// A crate and the crates of the workspace that it depends on.
struct Row {
    name: &'static str,
    needs: &'static [&'static str],
}

#[rustfmt::skip]
const TABLE: &[Row] = &[
    Row { name: "sa-chunks", needs: &[] },
    Row { name: "sa-journal", needs: &[] },
    Row { name: "sa-jsonrpc", needs: &[] },
    Row { name: "sa-api-macros", needs: &[] },
    Row { name: "sa-api", needs: &["sa-api-macros"] },
    Row { name: "sa-disk", needs: &[] },
    Row { name: "sa-net", needs: &[] },
    Row { name: "sa-supervisor", needs: &[] },
    Row { name: "sa-shell", needs: &[] },
    Row { name: "sa-universal", needs: &["sa-acp", "sa-api"] },
    Row { name: "sa-agents", needs: &["sa-api"] },
    Row { name: "sa-relay", needs: &["sa-chunks", "sa-journal", "sa-jsonrpc"] },
    Row { name: "sa-acp", needs: &["sa-disk", "sa-jsonrpc", "sa-shell", "sa-supervisor"] },
    Row { name: "sa-demo", needs: &["sa-acp", "sa-jsonrpc"] },
    Row { name: "sa-claude", needs: &["sa-acp", "sa-shell"] },
    Row { name: "sa-amp", needs: &["sa-acp", "sa-shell"] },
    Row { name: "sa-codex", needs: &["sa-acp", "sa-shell"] },
    Row { name: "sa-opencode", needs: &["sa-acp", "sa-shell"] },
    Row { name: "sa-pi", needs: &["sa-acp", "sa-shell"] },
    Row { name: "sa-credentials", needs: &["sa-net"] },
    Row { name: "sa-inspector", needs: &[] },
    Row { name: "sa-install", needs: &["sa-agents", "sa-api", "sa-disk", "sa-net", "sa-supervisor"] },
    Row { name: "sa-files", needs: &["sa-api", "sa-disk"] },
    Row { name: "sa-config", needs: &["sa-api", "sa-disk"] },
    Row { name: "sa-store", needs: &["sa-disk"] },
    Row { name: "sa-processes", needs: &["sa-api", "sa-journal", "sa-supervisor"] },
    Row { name: "sa-skills", needs: &["sa-api", "sa-disk", "sa-supervisor"] },
    Row { name: "sa-webhooks", needs: &["sa-api", "sa-net"] },
    Row { name: "sa-otlp", needs: &["sa-api", "sa-net"] },
    Row { name: "sa-model", needs: &[] },
    Row { name: "sa-probe", needs: &["sa-agents", "sa-install", "sa-jsonrpc", "sa-supervisor"] },
    Row { name: "sa-doctor", needs: &["sa-agents", "sa-credentials", "sa-install", "sa-probe", "sa-supervisor"] },
    Row { name: "sa-hub", needs: &["sa-agents", "sa-api", "sa-install", "sa-journal", "sa-jsonrpc", "sa-relay", "sa-supervisor"] },
    Row { name: "sa-sessions", needs: &["sa-agents", "sa-api", "sa-config", "sa-credentials", "sa-hub", "sa-journal", "sa-jsonrpc", "sa-otlp", "sa-relay", "sa-shell", "sa-skills", "sa-store", "sa-universal", "sa-webhooks"] },
    Row { name: "sa-http", needs: &["sa-agents", "sa-api", "sa-api-macros", "sa-config", "sa-credentials", "sa-disk", "sa-files", "sa-hub", "sa-inspector", "sa-install", "sa-journal", "sa-jsonrpc", "sa-otlp", "sa-probe", "sa-processes", "sa-relay", "sa-sessions"] },
    Row { name: "sa-client", needs: &["sa-api", "sa-net"] },
    Row { name: "sa-terminal", needs: &["sa-api"] },
    Row { name: "sandbox-agent", needs: &["sa-agents", "sa-amp", "sa-api", "sa-claude", "sa-client", "sa-codex", "sa-config", "sa-credentials", "sa-demo", "sa-disk", "sa-doctor", "sa-files", "sa-http", "sa-hub", "sa-install", "sa-model", "sa-opencode", "sa-otlp", "sa-pi", "sa-probe", "sa-processes", "sa-sessions", "sa-skills", "sa-store", "sa-supervisor", "sa-terminal", "sa-webhooks"] },
    Row { name: "sa-testkit", needs: &[] },
    Row { name: "sa-e2e", needs: &["sa-testkit"] },
    Row { name: "sa-features", needs: &["sa-api", "sa-model", "sa-testkit", "sa-universal"] },
    Row { name: "sa-chaos", needs: &["sa-bench", "sa-testkit"] },
    Row { name: "sa-interop", needs: &["sa-testkit"] },
    Row { name: "sa-bench", needs: &[] },
    Row { name: "sa-instructions", needs: &["sa-acp", "sa-amp", "sa-api", "sa-claude", "sa-codex", "sa-journal", "sa-jsonrpc", "sa-opencode", "sa-relay", "sa-store", "sa-universal"] },
    Row { name: "sa-fuzz", needs: &["sa-acp", "sa-agents", "sa-amp", "sa-claude", "sa-client", "sa-codex", "sa-files", "sa-http", "sa-install", "sa-instructions", "sa-jsonrpc", "sa-opencode", "sa-pi", "sa-relay", "sa-sessions", "sa-shell", "sa-skills", "sa-terminal"] },
    Row { name: "xtask", needs: &[] },
];

/// Third-party crates that only some crates may depend on, tests included.
const RESERVED: [(&str, &[&str]); 4] = [
    ("axum", &["sa-http", "sa-bench", "sa-features", "sa-model", "sa-testkit"]),
    ("hyper", &["sa-http", "sa-bench", "sa-model", "sa-opencode", "sa-testkit"]),
    ("rustls", &["sa-net"]),
    ("webpki-root-certs", &["sa-net"]),
];

/// The crate that the tests of every crate may use.
const TEST_HARNESS: &str = "sa-testkit";

pub(super) fn check(_: &Sources) -> Result<Vec<Finding>> {
    Ok(judge(&packages::<Package>(&["--no-deps"])?))
}

fn judge(packages: &[Package]) -> Vec<Finding> {
    let ours = |name: &str| packages.iter().any(|package| package.name == name);
    let mut findings = Vec::new();
    for package in packages {
        let place = format!("crates/{}/Cargo.toml", package.name);
        let mut say = |message: String| findings.push(Finding::new(place.clone(), message));
        let Some(row) = TABLE.iter().find(|row| row.name == package.name) else {
            say("this crate is not in the table of edges (xtask/src/tidy/edges.rs)".to_owned());
            continue;
        };
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            let in_tests =
                dependency.kind.as_deref() == Some("dev") && (name == TEST_HARNESS || name == row.name);
            if ours(name) && !row.needs.contains(&name) && !in_tests {
                say(format!("{} must not depend on {name}; the table of edges does not list it", row.name));
            }
            if let Some((_, users)) = RESERVED.iter().find(|(reserved, _)| *reserved == name)
                && !users.contains(&row.name)
            {
                say(format!("only {} may depend on {name}", users.join(", ")));
            }
        }
        for needed in row.needs {
            if !package.dependencies.iter().any(|dependency| dependency.name == *needed) {
                say(format!("the table of edges says that {} needs {needed}; it no longer does", row.name));
            }
        }
    }
    for row in TABLE.iter().filter(|row| !ours(row.name)) {
        findings.push(Finding::new("xtask/src/tidy/edges.rs", format!("there is no crate {}", row.name)));
    }
    findings
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn findings_about(name: &str, dependencies: &[(&str, &str)]) -> Vec<String> {
        let dependency = |(name, kind): &(&str, &str)| Dependency {
            name: (*name).to_owned(),
            kind: (*kind != "normal").then(|| (*kind).to_owned()),
        };
        let package = |row: &Row| Package { name: row.name.to_owned(), dependencies: Vec::new() };
        let mut packages: Vec<Package> = TABLE.iter().map(package).collect();
        let package = packages.iter_mut().find(|package| package.name == name).unwrap();
        package.dependencies = dependencies.iter().map(dependency).collect();
        let found = judge(&packages).into_iter();
        found.filter(|f| f.place.contains(name)).map(|f| f.message).collect()
    }

    #[test]
    fn an_edge_must_be_in_the_table() {
        let [chunks, journal, jsonrpc] =
            ["sa-chunks", "sa-journal", "sa-jsonrpc"].map(|name| (name, "normal"));
        assert_eq!(findings_about("sa-relay", &[chunks, journal, jsonrpc, ("serde", "normal")]), [""; 0]);
        let upward = findings_about("sa-relay", &[chunks, journal, jsonrpc, ("sa-hub", "normal")]);
        assert!(matches!(&upward[..], [one] if one.contains("must not depend on sa-hub")), "{upward:?}");
        let gone = findings_about("sa-relay", &[chunks, jsonrpc]);
        assert!(matches!(&gone[..], [one] if one.contains("no longer")), "{gone:?}");
    }

    #[test]
    fn tests_may_use_the_harness() {
        assert_eq!(findings_about("sa-shell", &[("sa-testkit", "dev")]), [""; 0]);
        assert_eq!(findings_about("sa-shell", &[("sa-testkit", "normal")]).len(), 1);
    }

    #[test]
    fn reserved_crates_have_their_users() {
        assert_eq!(findings_about("sa-shell", &[("axum", "normal")]).len(), 1);
        assert_eq!(findings_about("sa-testkit", &[("hyper", "normal")]), [""; 0]);
    }
}
