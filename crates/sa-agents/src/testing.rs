//! A property of definitions that users wrote, for tests and fuzzing: what is accepted can be named and started.
#![allow(clippy::expect_used, clippy::missing_panics_doc)]

use crate::{AgentDefinition, AgentSpec, Catalog, Launch};
use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::LazyLock;

static SHIPPED: LazyLock<Catalog> =
    LazyLock::new(|| Catalog::shipped().expect("the catalog of this build is read"));

/// Panics if these bytes, as `agents.toml` and as values of `--agent`, make an agent whose id is no plain name, or that
/// has nothing to start.
pub fn definitions_can_be_started(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let file = toml::from_str::<BTreeMap<String, AgentDefinition>>(&text);
    for (id, definition) in file.into_iter().flatten() {
        if let Ok(agent) = definition.into_spec(&id) {
            assert_eq!(agent.id, id);
            check(&agent);
        }
    }
    for line in text.lines() {
        if let Ok(agent) = AgentSpec::parse(line) {
            check(&agent);
        }
    }
    let name = text.lines().next().unwrap_or_default();
    let answer = SHIPPED.find(name).map(|agent| &agent.id).map_err(|unknown| unknown.to_string());
    assert!(answer.is_ok_and(|id| id == name) || SHIPPED.get(name).is_none());
}

fn check(agent: &AgentSpec) {
    let mut parts = Path::new(&agent.id).components();
    assert!(matches!(parts.next(), Some(Component::Normal(part)) if part == agent.id.as_str()), "{agent:?}");
    assert_eq!(parts.next(), None, "{agent:?}");
    let program = match &agent.launch {
        Launch::Command { program, .. } | Launch::InstallOnly { program } => program,
        Launch::Builtin { .. } => return,
    };
    assert!(!program.is_empty(), "{agent:?}");
}

#[test]
fn definitions_that_ship_and_seeds_can_be_started() {
    for folder in ["../../fuzz/seeds/agents_file", "catalog"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for file in std::fs::read_dir(folder).expect("a folder of files") {
            let text = std::fs::read(file.expect("a file").path()).expect("its bytes");
            definitions_can_be_started(&text);
            definitions_can_be_started(&[b"[mine]\n".as_slice(), &text].concat());
        }
    }
}
