//! The selection of steps that `cargo xtask test` runs.

use super::{BUILD, Extent, STEPS, Step};
use anyhow::{Result, bail};

/// The steps of `--fast`.
const FAST: [&str; 7] = ["fmt", "tidy", BUILD, "clippy", "gen", "contract", "tests"];

/// The arguments that choose steps.
#[derive(clap::Args)]
pub(crate) struct Selection {
    /// Run only this step; repeatable.
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
    /// Leave this step out; repeatable.
    #[arg(long, value_name = "STEP")]
    skip: Vec<String>,
    /// Run the inner loop only: no vendor CLIs, no fuzzing, no Node.js tests.
    #[arg(long)]
    fast: bool,
}

/// Returns whether `--fast` runs the step.
pub(super) fn is_fast(step: &Step) -> bool {
    FAST.contains(&step.name)
}

impl Selection {
    pub(super) fn extent(&self) -> Extent {
        if self.fast { Extent::Fast } else { Extent::Whole }
    }

    /// Returns the steps in order, `build` included if one of them needs it.
    pub(super) fn steps(&self) -> Result<Vec<&'static Step>> {
        let named = self.only.iter().chain(&self.skip);
        if let Some(unknown) = named.into_iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
            let names = STEPS.map(|step| step.name).join(", ");
            bail!("unknown step '{unknown}'; the steps are {names}");
        }
        let has = |names: &[String], step: &Step| names.iter().any(|name| name == step.name);
        let is_asked = |step: &Step| {
            let by_name = self.only.is_empty() || has(&self.only, step);
            by_name && !has(&self.skip, step) && (!self.fast || is_fast(step))
        };
        let needs_binaries = STEPS.iter().any(|step| is_asked(step) && step.binaries);
        let is_chosen = |step: &&Step| is_asked(step) || (needs_binaries && step.name == BUILD);
        let chosen: Vec<&Step> = STEPS.iter().filter(is_chosen).collect();
        if chosen.is_empty() { bail!("no step is left to run") } else { Ok(chosen) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn chosen(only: &[&str], skip: &[&str], fast: bool) -> Result<Vec<&'static str>> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let selection = Selection { only: owned(only), skip: owned(skip), fast };
        Ok(selection.steps()?.into_iter().map(|step| step.name).collect())
    }

    #[test]
    fn steps_keep_their_order_and_bring_what_they_need() {
        assert_eq!(chosen(&[], &[], false).unwrap().len(), STEPS.len());
        assert_eq!(chosen(&["sdk", "fmt"], &[], false).unwrap(), ["fmt", BUILD, "sdk"]);
        assert_eq!(chosen(&["tidy", "fmt"], &["fmt"], false).unwrap(), ["tidy"]);
        assert_eq!(chosen(&[], &[BUILD], false).unwrap().len(), STEPS.len(), "others need it");
        assert_eq!(chosen(&[], &[], true).unwrap(), FAST);
    }

    #[test]
    fn unknown_steps_and_empty_selections_are_refused() {
        let error = chosen(&[], &["fmtt"], false).unwrap_err().to_string();
        assert!(error.starts_with("unknown step 'fmtt'; the steps are fmt, tidy, "), "{error}");
        assert!(chosen(&["sdk"], &[], true).is_err());
    }
}
