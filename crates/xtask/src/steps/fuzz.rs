//! The step `fuzz`.

use crate::shell::{Program, cargo, root, target};
use anyhow::{Result, bail};
use std::path::Path;

/// Targets that run at the same time, a pair for two cores, and for how many seconds.
const FUZZED: [([&str; 2], &str); 7] = [
    (["path_policy", "tar_upload"], "20"),
    (["jsonrpc_line", "relay_stream"], "6"),
    (["native_lines", "terminal_text"], "7"),
    (["session_import", "request_headers"], "7"),
    (["shell_line", "ignore_rules"], "5"),
    (["install_manifest", "agents_file"], "3"),
    (["event_stream", "skill_file"], "3"),
];

/// The runner, and a test with it: only a build of the whole workspace that has a test in it chooses the same features of
/// dependencies as the step `build`. The test is of a crate that is not instrumented.
const RUNNER: [&str; 6] = ["build", "--workspace", "--bin", "sa-fuzz", "--test", "journal"];

/// Searches every target. Dependencies are already built; only the crates of this workspace are compiled again.
pub(super) fn run() -> Result<()> {
    let instrument = root().join("fuzz/instrument");
    cargo(&RUNNER).env("RUSTC_WORKSPACE_WRAPPER", instrument).run()?;
    let binary = target()?.join("debug/sa-fuzz");
    // Two targets work on real files, which are quicker in memory.
    let memory = Path::new("/dev/shm");
    let temporary = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    for (targets, seconds) in FUZZED {
        let search = |target| {
            Program::new(&binary).args(&[target, "--seconds", seconds]).env("TMPDIR", &temporary).run()
        };
        let outcomes: Vec<Result<()>> = std::thread::scope(|scope| {
            let running = targets.map(|target| scope.spawn(move || search(target)));
            running
                .into_iter()
                .map(|one| one.join().unwrap_or_else(|_| bail!("the search panicked")))
                .collect()
        });
        outcomes.into_iter().collect::<Result<()>>()?;
    }
    Ok(())
}
