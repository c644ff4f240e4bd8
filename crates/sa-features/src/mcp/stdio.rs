//! The server on standard input and output.

use super::protocol::answer;
use anyhow::Result;
use serde_json::Value;
use std::io::{BufRead as _, Write as _};
use std::time::Duration;

/// The greeting is `GREETING` of the environment. A slow server says nothing for so long.
pub fn serve_stdio(slowness: Duration) -> Result<()> {
    let greeting = std::env::var("GREETING").unwrap_or_default();
    std::thread::sleep(slowness);
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
