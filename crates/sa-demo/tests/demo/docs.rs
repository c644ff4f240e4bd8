//! The documentation names every command as it is.

use sa_demo::CATALOG;

#[test]
fn every_command_is_documented() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/demo-agent.md")).unwrap();
    for entry in CATALOG {
        let usage = entry.usage().replace('|', "\\|");
        assert!(page.contains(&format!("| `{usage}` |")), "docs/demo-agent.md lacks `{usage}`");
    }
}
