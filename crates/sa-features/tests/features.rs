//! The feature suite: one trial for each agent, version and feature, named `claude::permission_once`; through universal sessions
//! `sessions::claude::permission_once`.

use libtest_mimic::{Arguments, Trial};
use sa_features::{FEATURES, Given, SUBJECTS, Way, conformance, is_held, restart, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for way in Way::ALL {
        for subject in &SUBJECTS {
            let tried = FEATURES.iter().filter(|feature| way.tries(subject, feature));
            trials.extend(tried.map(|feature| {
                let run = move || run(subject, feature, way).map_err(|error| format!("{error:#}").into());
                Trial::test(way.trial(subject, feature), run)
            }));
        }
    }
    for subject in SUBJECTS.iter().filter(|subject| Way::has_sessions(subject)) {
        let name = format!("sessions::{}::restart", subject.name);
        trials.push(Trial::test(name, move || restart(subject).map_err(|error| format!("{error:#}").into())));
    }
    for subject in SUBJECTS.iter().filter(|subject| is_held(subject)) {
        let name = format!("conformance::{}", subject.name);
        let run = move || conformance(subject).map_err(|error| format!("{error:#}").into());
        trials.push(Trial::test(name, run));
    }
    for given in Given::ALL {
        for subject in SUBJECTS.iter().filter(|subject| given.tries(subject)) {
            let run = move || given.run(subject).map_err(|error| format!("{error:#}").into());
            trials.push(Trial::test(given.trial(subject), run));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
