//! Prints a document that is generated from the routes: `openapi` or `queries`. Not part of the daemon, which serves the
//! checked-in document.

use std::io::Write;
use std::process::ExitCode;

fn main() -> std::io::Result<ExitCode> {
    let text = match std::env::args().nth(1).as_deref() {
        Some("openapi") => sa_http::openapi_json(),
        Some("queries") => sa_http::query_table_json(),
        _ => {
            writeln!(std::io::stderr(), "usage: contract openapi|queries")?;
            return Ok(ExitCode::from(64));
        }
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
