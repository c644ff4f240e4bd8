//! The feature suite: one trial for each agent, version and feature, named `claude::permission_once`; through universal sessions
//! `sessions::claude::permission_once`. Trials that share an agent run in `opencode::shared_1` and the like; one of them alone runs
//! with `cargo nextest run -p sa-features --run-ignored all opencode::text`.

use libtest_mimic::{Arguments, Trial};
use sa_features::{FEATURES, Given, SUBJECTS, Share, Way, conformance, is_held, is_shared, restart, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for way in Way::ALL {
        for subject in &SUBJECTS {
            let tried = FEATURES.iter().filter(|feature| way.tries(subject, feature));
            trials.extend(tried.map(|feature| {
                let run = move || run(subject, feature, way).map_err(|error| format!("{error:#}").into());
                let shared = is_shared(subject, feature, way);
                Trial::test(way.trial(subject, feature), run).with_ignored_flag(shared)
            }));
        }
    }
    for share in Share::all() {
        trials.push(Trial::test(share.name(), move || {
            share.run().map_err(|error| format!("{error:#}").into())
        }));
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
