//! The shape of every error answer.

use crate::http::Reply;
use anyhow::{Context, Result, ensure};
use serde_json::Value;

const URN: &str = "urn:sandbox-agent:error:";

/// A problem document.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The part after `urn:sandbox-agent:error:`.
    pub code: String,
    /// The `detail` member; empty when the document has none.
    pub detail: String,
    pub document: Value,
}

impl Reply {
    /// Reads the reply as a problem document; anything that is not a proper one is an error.
    pub fn problem(&self) -> Result<Problem> {
        let seen = || format!("status {}, body {}", self.status, self.text());
        ensure!(self.status >= 400, "not an error: {}", seen());
        let kind = self.header("content-type");
        ensure!(kind == "application/problem+json", "content type {kind:?}: {}", seen());
        let document = self.json()?;
        let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let code = text("type").strip_prefix(URN).map(str::to_owned).with_context(seen)?;
        ensure!(!code.is_empty() && !text("title").is_empty(), "no code or no title: {}", seen());
        ensure!(document.get("status") == Some(&Value::from(self.status)), "another status: {}", seen());
        Ok(Problem { code, detail: text("detail"), document })
    }

    /// Returns the problem, which must have this status and code.
    pub fn expect_problem(&self, status: u16, code: &str) -> Result<Problem> {
        let problem = self.problem()?;
        let same = self.status == status && problem.code == code;
        ensure!(same, "{} {} instead of {status} {code}: {}", self.status, problem.code, problem.detail);
        Ok(problem)
    }
}
