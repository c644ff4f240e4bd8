//! `docs/credentials.md` names every agent and every variable that hands a credential on.

use crate::home::Home;
use sa_credentials::agents;

const PAGE: &str = include_str!("../../../../docs/credentials.md");

fn is_named(word: &str) -> bool {
    PAGE.contains(&format!("`{word}`"))
}

#[test]
fn every_agent_is_there() {
    let missing: Vec<_> = agents().filter(|id| !is_named(id)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_variable_of_the_page_is_looked_at_and_handed_on() {
    let (_, part) = PAGE.split_once("## Where each agent looks").unwrap();
    let (part, _) = part.split_once("## Handing them on").unwrap();
    let is_secret = |word: &&str| {
        word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            && ["_KEY", "_TOKEN"].iter().any(|end| word.ends_with(end))
    };
    let names: Vec<&str> = part.split('`').filter(is_secret).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let home = Home::new().variable(name, "value");
        let found = agents().any(|id| home.credentials(id).iter().any(|it| it.variables[0].name == name));
        assert!(found, "{name}");
    }
}
