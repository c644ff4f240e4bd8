//! The suite as a program: `sa-features matrix` prints the compatibility matrix, `sa-features mcp` is an MCP server
//! on standard input and output.

use anyhow::{Result, bail};
use sa_features::{matrix, mcp};
use std::io::Write as _;
use std::time::Duration;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("matrix") => Ok(std::io::stdout().write_all(matrix().as_bytes())?),
        Some("mcp") => {
            let slowness = arguments.next().map_or(Ok(0), |word| word.parse())?;
            mcp::serve_stdio(Duration::from_millis(slowness))
        }
        _ => bail!("usage: sa-features matrix | mcp [MILLISECONDS OF SLOWNESS]"),
    }
}
