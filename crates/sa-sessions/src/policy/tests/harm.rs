//! Rules against commands that change files, confirmed by a real shell: a rule that denies one is not evaded, and a rule for
//! something harmless is not widened.

use super::*;
use sa_testkit::Arena;
use sa_testkit::harm::{DEEDS, FORMS, Harm, cases, harms};

/// A policy for each deed that denies it.
static DENYING: LazyLock<Vec<(&str, Policy)>> = LazyLock::new(|| {
    let patterns = DEEDS.iter().map(|deed| deed.pattern);
    patterns.map(|pattern| (pattern, policy(&[("execute", Some(pattern), Decision::Deny)]))).collect()
});

/// The command as agents send it: a line, and the words of a shell.
fn requests(line: &str) -> [PermissionRequest; 2] {
    let words = json!({ "command": ["bash", "-lc", line] });
    [command(line), request("shell", ToolKind::Execute, words)]
}

/// Returns the fault of the rules, if there is one.
fn fault(harm: &Harm) -> Option<&'static str> {
    let denying = DENYING.iter().find(|(pattern, _)| Some(*pattern) == harm.pattern);
    let asked = requests(&harm.command);
    if denying.is_some_and(|(_, policy)| asked.iter().any(|asked| policy.decide(asked) != NO)) {
        return Some("not denied");
    }
    asked.iter().any(|asked| NARROW.decide(asked).is_some()).then_some("allowed")
}

#[test]
fn no_form_of_a_deed_gets_past_a_rule() {
    for (deed, form) in DEEDS.iter().flat_map(|deed| FORMS.iter().map(move |form| (deed, form))) {
        let harm = Harm::plain(*deed, form);
        assert_eq!(fault(&harm), None, "{}: {}", deed.pattern, harm.command);
    }
}

#[test]
fn rules_for_harmless_commands_still_allow_them() {
    for line in ["ls", "ls -la src", "cat 'a b'", "echo done", "git status --short", "npm test", "true x"] {
        assert!(requests(line).iter().all(|asked| NARROW.decide(asked) == YES), "{line}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(2000)))]

    #[test]
    fn nothing_with_an_effect_gets_past_a_rule(harm in harms()) {
        let fault = fault(&harm);
        let has_effect = || ["bash", "sh"].iter().any(|shell| Arena::shows_effect(shell, &harm.command).unwrap());
        prop_assert!(fault.is_none() || !has_effect(), "{:?} {:?}: {}", fault, harm.pattern, harm.command);
    }
}
