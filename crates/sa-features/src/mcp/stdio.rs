//! The server on standard input and output.

use super::protocol::answer;
use anyhow::Result;
use serde_json::Value;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::Duration;

/// The greeting is `GREETING` of the environment. With a file to wait for, nothing is said before it is there.
pub fn serve_stdio(wait_for: Option<&str>) -> Result<()> {
    let greeting = std::env::var("GREETING").unwrap_or_default();
    while wait_for.is_some_and(|file| !Path::new(file).exists()) {
        std::thread::sleep(Duration::from_millis(5));
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        if let Some(answer) = answer(&message, &greeting) {
            let mut out = std::io::stdout().lock();
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
    }
    Ok(())
}
