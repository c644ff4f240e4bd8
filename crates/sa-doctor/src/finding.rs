//! Findings of the doctor.

use serde::Serialize;

/// The findings about the machine, or about one agent on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The agent; none for the machine itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// In the order in which starting it would meet them.
    pub findings: Vec<Finding>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The subject, in a word or two.
    pub check: &'static str,
    /// The result of the check.
    pub verdict: Verdict,
    pub detail: String,
    /// A remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    Fine,
    /// Worth knowing; the agent starts all the same.
    Note,
    /// The agent does not start, or cannot work, because of it.
    Wrong,
}

impl Report {
    /// Returns whether the agent can start.
    pub fn is_fine(&self) -> bool {
        self.findings.iter().all(|finding| finding.verdict < Verdict::Wrong)
    }
}

impl Finding {
    pub(crate) fn fine(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Fine, detail: detail.into(), advice: None }
    }

    pub(crate) fn note(check: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Note, detail: detail.into(), advice: Some(advice.into()) }
    }

    pub(crate) fn wrong(check: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Wrong, detail: detail.into(), advice: Some(advice.into()) }
    }
}
