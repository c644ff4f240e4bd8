//! The feature suite: one trial for each agent, version and feature, named `claude::permission_once`.

use libtest_mimic::{Arguments, Trial};
use sa_features::{FEATURES, SUBJECTS, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let trials = SUBJECTS.iter().flat_map(|subject| {
        FEATURES.iter().filter(|feature| subject.tries(feature)).map(move |feature| {
            let name = format!("{}::{}", subject.name, feature.id);
            Trial::test(name, move || run(subject, feature).map_err(|error| format!("{error:#}").into()))
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
