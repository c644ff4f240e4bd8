//! Modes, models and options of agents.

use crate::schema::check;
use sa_api::sessions::{EventData, OptionValue, PermissionMode, SessionChoices};
use sa_universal::testing::to_opened;
use sa_universal::{
    AgentOption, ModeTable, Reducer, Target, Unsupported, after_plan, agent_modes, check_agent_mode,
    combinations, model_target, option_target, targets, variant_target,
};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

fn opened(result: &Value) -> (Reducer, Vec<EventData>) {
    let mut reducer = Reducer::new("run");
    let events = reducer.session_opened(&to_raw_value(result).unwrap());
    (reducer, events)
}

/// An agent that knows only the older way of modes and models.
fn older(current: &str, modes: &[&str]) -> SessionChoices {
    let modes: Vec<_> = modes.iter().map(|id| json!({ "id": id, "name": id.to_uppercase() })).collect();
    let models = json!([{ "modelId": "m1", "name": "One" }, { "modelId": "m2", "name": "Two" }]);
    let result = json!({
        "sessionId": "s",
        "modes": { "currentModeId": current, "availableModes": modes },
        "models": { "currentModelId": "m1", "availableModels": models },
    });
    opened(&result).0.choices().clone()
}

/// An agent with options.
fn newer() -> Value {
    let choice = |id: &str| json!({ "value": id, "name": id });
    let select = |id: &str, category: &str, current: &str, choices: &[&str]| {
        let choices: Vec<_> = choices.iter().map(|id| choice(id)).collect();
        json!({ "id": id, "name": id, "category": category, "type": "select", "currentValue": current, "options": choices })
    };
    json!({ "sessionId": "s", "configOptions": [
        select("permission", "mode", "default", &["default", "plan", "bypassPermissions"]),
        select("model", "model", "m1", &["m1", "m2"]),
        select("effort", "thought_level", "low", &["low", "high"]),
        { "id": "fast", "name": "Fast", "type": "boolean", "currentValue": false },
    ] })
}

fn mode(id: &str) -> Vec<Target> {
    vec![Target::SetMode { mode_id: id.to_owned() }]
}

fn option(id: &str, value: &str) -> Target {
    Target::SetOption { config_id: id.to_owned(), value: OptionValue::Choice(value.to_owned()) }
}

fn wanted(
    table: &ModeTable,
    choices: &SessionChoices,
    agent: &str,
    permission: PermissionMode,
) -> Vec<Target> {
    targets(table, choices, agent, permission).unwrap().set
}

#[test]
fn what_is_chosen_is_told_when_it_changes() {
    let (mut reducer, events) = opened(&newer());
    assert!(matches!(events.as_slice(), [EventData::ModeChanged(_)]));
    let choices = reducer.choices();
    assert_eq!(
        (choices.mode.as_deref(), choices.model.as_deref(), choices.variant.as_deref()),
        (Some("default"), Some("m1"), Some("low"))
    );
    assert_eq!(
        (choices.modes.len(), choices.models.len(), choices.variants.len(), choices.options.len()),
        (3, 2, 2, 4)
    );
    check("NewSessionResponse", &{
        let mut result = to_opened(choices);
        result["sessionId"] = "s".into();
        result
    });
    let update = json!({ "sessionUpdate": "current_mode_update", "currentModeId": "plan" });
    let update = to_raw_value(&json!({ "sessionId": "s", "update": update })).unwrap();
    assert_eq!(reducer.update(&update).len(), 1);
    assert_eq!(reducer.choices().options[0].value, OptionValue::Choice("plan".to_owned()));
    assert_eq!(reducer.update(&update), []);
    assert_eq!(reducer.mode_set("plan"), []);
    assert_eq!(reducer.config_changed(&to_raw_value(&newer()).unwrap()).len(), 1);
    assert_eq!(reducer.choices().mode.as_deref(), Some("default"));
}

#[test]
fn modes_are_found_by_their_names() {
    let none = ModeTable::default();
    let choices = older("ask", &["ask", "architect", "YOLO"]);
    assert_eq!(wanted(&none, &choices, "build", PermissionMode::Default), [], "it is there already");
    assert_eq!(wanted(&none, &choices, "plan", PermissionMode::Default), mode("architect"));
    assert_eq!(wanted(&none, &choices, "build", PermissionMode::Plan), mode("architect"));
    assert_eq!(wanted(&none, &choices, "build", PermissionMode::Bypass), mode("YOLO"));
    assert_eq!(wanted(&none, &choices, "architect", PermissionMode::Default), mode("architect"));
    let (reducer, _) = opened(&newer());
    assert_eq!(
        wanted(&none, reducer.choices(), "build", PermissionMode::Bypass),
        [option("permission", "bypassPermissions")]
    );
}

#[test]
fn a_table_says_it_for_good() {
    let table = json!({
        "permission-modes": { "default": "careful", "plan": "behavior=plan", "bypass": "wild" },
        "agent-modes": { "review": "reviewer" },
    });
    let names = |key: &str| serde_json::from_value(table[key].clone()).unwrap();
    let by_names = ModeTable::named(&names("permission-modes"), &names("agent-modes"));
    let table: ModeTable = serde_json::from_value(table).unwrap();
    assert_eq!(by_names, table);
    let mut choices = older("other", &["careful", "wild", "reviewer", "yolo", "other"]);
    assert_eq!(wanted(&table, &choices, "build", PermissionMode::Default), mode("careful"));
    assert_eq!(wanted(&table, &choices, "build", PermissionMode::Bypass), mode("wild"));
    assert_eq!(wanted(&table, &choices, "review", PermissionMode::Default), mode("reviewer"));
    choices.options = opened(&newer()).0.choices().options.clone();
    choices.options[0].id = "behavior".to_owned();
    assert_eq!(wanted(&table, &choices, "plan", PermissionMode::Default), [option("behavior", "plan")]);
}

#[test]
fn the_daemon_allows_where_the_agent_would_ask() {
    let none = ModeTable::default();
    let asks = older("code", &["code", "plan"]);
    let bypass = targets(&none, &asks, "build", PermissionMode::Bypass).unwrap();
    assert_eq!((bypass.set, bypass.enforce), (vec![], PermissionMode::Bypass));
    let default = targets(&none, &asks, "build", PermissionMode::Default).unwrap();
    assert_eq!(default.enforce, PermissionMode::Default);
    let table = json!({ "permission-modes": { "default": "code", "bypass": "bypassPermissions" } });
    let withheld = older("plan", &["code", "plan", "auto"]);
    let withheld =
        targets(&serde_json::from_value(table).unwrap(), &withheld, "build", PermissionMode::Bypass).unwrap();
    assert_eq!((withheld.set, withheld.enforce), (mode("code"), PermissionMode::Bypass));
    let none_at_all = targets(&none, &SessionChoices::default(), "build", PermissionMode::Bypass).unwrap();
    assert_eq!(none_at_all.enforce, PermissionMode::Bypass);
}

#[test]
fn what_an_agent_cannot_do_is_refused_precisely() {
    let none = ModeTable::default();
    let said = |result: Result<_, Unsupported>| result.unwrap_err().to_string();
    let choices = older("code", &["code", "plan"]);
    let wild = older("code", &["code", "wild"]);
    assert_eq!(
        said(targets(&none, &wild, "plan", PermissionMode::Default)),
        "the agent has no plan mode; its modes are: code, wild"
    );
    assert_eq!(
        said(targets(&none, &SessionChoices::default(), "build", PermissionMode::Plan)),
        "the agent has no plan mode; its modes are: none"
    );
    assert_eq!(
        said(targets(&none, &choices, "x", PermissionMode::Default)),
        "the agent has no mode 'x'; its modes are: code, plan"
    );
    assert_eq!(
        said(targets(&none, &choices, "code", PermissionMode::Plan)),
        "the agent cannot be in its mode 'code' and only plan at the same time"
    );
    // The agent decides whether there is such a model.
    assert!(matches!(model_target(&choices, "m9"), Ok(Some(_))));
    let silent = SessionChoices::default();
    assert!(model_target(&silent, "m9").unwrap_err().to_string().ends_with("its models are: none"));
    assert!(variant_target(&choices, "high").unwrap_err().to_string().ends_with("its variants are: none"));
}

#[test]
fn back_to_work_from_a_mode_that_is_certainly_another() {
    let none = ModeTable::default();
    let away = older("yolo", &["first", "yolo"]);
    assert_eq!(wanted(&none, &away, "build", PermissionMode::Default), mode("first"));
    let there = older("second", &["first", "second"]);
    assert_eq!(wanted(&none, &there, "build", PermissionMode::Default), []);
}

#[test]
fn models_are_set_the_way_the_agent_knows() {
    let older = older("a", &["a"]);
    assert_eq!(model_target(&older, "m2"), Ok(Some(Target::SetModel { model_id: "m2".to_owned() })));
    assert_eq!(model_target(&older, "m1"), Ok(None));
    let (reducer, _) = opened(&newer());
    assert_eq!(model_target(reducer.choices(), "m2"), Ok(Some(option("model", "m2"))));
    assert_eq!(variant_target(reducer.choices(), "high"), Ok(Some(option("effort", "high"))));
    assert_eq!(variant_target(reducer.choices(), "low"), Ok(None));
}

#[test]
fn modes_that_ask_less_need_the_permission_mode_for_it() {
    let none = ModeTable::default();
    let choices =
        older("ask", &["ask", "plan", "acceptEdits", "auto_edit", "x#autopilot", "full-access", "wild"]);
    for mode in ["acceptEdits", "auto_edit", "x#autopilot", "full-access"] {
        let refused = targets(&none, &choices, mode, PermissionMode::Default);
        assert!(matches!(refused, Err(Unsupported::Looser { .. })), "{mode}: {refused:?}");
        assert!(check_agent_mode(&none, mode, PermissionMode::Default).is_err(), "{mode}");
        assert!(targets(&none, &choices, mode, PermissionMode::Bypass).is_ok(), "{mode}");
    }
    assert!(targets(&none, &choices, "wild", PermissionMode::Default).is_ok(), "by its name it asks");
    let said: ModeTable =
        serde_json::from_value(json!({ "permission-modes": { "bypass": "wild" } })).unwrap();
    assert!(targets(&said, &choices, "wild", PermissionMode::Default).is_err(), "the table knows better");
}

#[test]
fn an_approved_plan_allows_no_more_than_before() {
    let table = json!({ "permission-modes": { "default": "ask", "plan": "plan", "bypass": "build" } });
    let table: ModeTable = serde_json::from_value(table).unwrap();
    let modes = ["build", "plan", "ask"];
    let first = targets(&table, &older("build", &modes), "plan", PermissionMode::Default).unwrap();
    assert_eq!(first.set, [mode("ask"), mode("plan")].concat(), "so that it has nowhere looser to return to");
    let left = |now: &str, chosen| after_plan(&table, &older(now, &modes), "plan", chosen);
    assert_eq!(left("plan", PermissionMode::Default), None);
    for (now, chosen, permission, too_loose) in [
        ("ask", PermissionMode::Default, PermissionMode::Default, false),
        ("ask", PermissionMode::Plan, PermissionMode::Default, false),
        ("build", PermissionMode::Default, PermissionMode::Default, true),
        ("build", PermissionMode::Plan, PermissionMode::Default, true),
        ("build", PermissionMode::Bypass, PermissionMode::Bypass, false),
        ("ask", PermissionMode::Bypass, PermissionMode::Default, false),
    ] {
        let after = left(now, chosen).unwrap();
        assert_eq!((after.permission_mode, after.is_too_loose), (permission, too_loose), "{now} {chosen:?}");
        assert_eq!(after.agent_mode, "build");
    }
}

/// An agent with agents of its own, in their order: the one at work is an option next to its mode.
fn with_agents(current: &str) -> (ModeTable, SessionChoices) {
    let agents = AgentOption { option: "agent".to_owned(), usual: "build".to_owned() };
    let choices: Vec<_> =
        ["build", "plan", "reviewer"].map(|id| json!({ "value": id, "name": id.to_uppercase() })).to_vec();
    let mut said = newer();
    let option = json!({ "id": "agent", "name": "Agent", "type": "select", "currentValue": current, "options": choices });
    said["configOptions"].as_array_mut().unwrap().push(option);
    (ModeTable { agents: Some(agents), ..ModeTable::default() }, opened(&said).0.choices().clone())
}

#[test]
fn an_agent_of_the_agents_own_works_in_every_permission_mode() {
    let (table, choices) = with_agents("build");
    let ids: Vec<_> = agent_modes(&table, &choices).into_iter().map(|mode| mode.id).collect();
    assert_eq!(ids, ["build", "plan", "default", "bypassPermissions", "reviewer"]);
    let reviewer = Some(option("agent", "reviewer"));
    for (permission, set) in [
        (PermissionMode::Default, vec![]),
        (PermissionMode::Plan, vec![option("permission", "plan")]),
        (PermissionMode::Bypass, vec![option("permission", "bypassPermissions")]),
    ] {
        let targets = targets(&table, &choices, "reviewer", permission).unwrap();
        assert_eq!((targets.agent, targets.set), (reviewer.clone(), set), "{permission:?}");
    }
    let (table, choices) = with_agents("reviewer");
    for mode in ["build", "plan"] {
        let back = targets(&table, &choices, mode, PermissionMode::Default).unwrap();
        assert_eq!(back.agent, Some(option("agent", "build")), "{mode}");
    }
    let left = after_plan(&table, &choices, "reviewer", PermissionMode::Plan).unwrap();
    assert_eq!((left.agent_mode.as_str(), left.permission_mode), ("reviewer", PermissionMode::Default));
    let unknown = targets(&table, &choices, "critic", PermissionMode::Default).unwrap_err().to_string();
    assert_eq!(
        unknown,
        "the agent has no mode 'critic'; its modes are: default, plan, bypassPermissions, reviewer"
    );
}

#[test]
fn options_are_no_modes() {
    let (table, choices) = with_agents("build");
    for mode in ["agent=reviewer", "permission=bypassPermissions", "fast=true"] {
        for permission in [PermissionMode::Default, PermissionMode::Bypass] {
            let refused = targets(&table, &choices, mode, permission);
            assert!(
                matches!(refused, Err(Unsupported::Mode { .. } | Unsupported::Looser { .. })),
                "{mode}: {refused:?}"
            );
        }
    }
}

#[test]
fn options_are_checked_against_what_the_agent_offers() {
    let (table, mut choices) = with_agents("build");
    let set = |choices: &SessionChoices, id: &str, value: OptionValue, permission| {
        option_target(&table, choices, id, &value, permission).map_err(|refused| refused.to_string())
    };
    let choice = |id: &str| OptionValue::Choice(id.to_owned());
    let asks = PermissionMode::Default;
    let on = Target::SetOption { config_id: "fast".to_owned(), value: OptionValue::Switch(true) };
    assert_eq!(set(&choices, "fast", OptionValue::Switch(true), asks), Ok(Some(on)));
    assert_eq!(set(&choices, "fast", OptionValue::Switch(false), asks), Ok(None));
    for (id, value, words) in [
        (
            "slow",
            OptionValue::Switch(true),
            "the agent has no option 'slow'; its options are: fast (true, false)",
        ),
        ("fast", choice("on"), "option 'fast' does not take 'on'; its values are: true, false"),
        ("agent", choice("reviewer"), "option 'agent' is set with agentMode"),
    ] {
        assert_eq!(set(&choices, id, value, PermissionMode::Bypass), Err(words.to_owned()));
    }
    // One that has the agent ask less needs the permission mode for it.
    let fast = choices.options.iter_mut().find(|option| option.id == "fast").unwrap();
    (fast.id, fast.name) = ("approval".to_owned(), "Auto-approve everything".to_owned());
    assert!(set(&choices, "approval", OptionValue::Switch(true), asks).is_err());
    assert!(set(&choices, "approval", OptionValue::Switch(true), PermissionMode::Bypass).is_ok());
    assert!(set(&choices, "approval", OptionValue::Switch(false), asks).is_ok());
}

/// A combination is listed as possible exactly if it can be set.
#[test]
fn the_table_and_what_is_set_agree() {
    let (table, choices) = with_agents("reviewer");
    let refusing = ModeTable { refusing: vec!["x".to_owned()], ..ModeTable::default() };
    for (table, choices) in [
        (table, choices),
        (ModeTable::default(), older("ask", &["ask", "architect", "YOLO"])),
        (ModeTable::default(), older("code", &["code", "acceptEdits"])),
        (refusing, older("x", &["x", "plan"])),
        (ModeTable::default(), SessionChoices::default()),
    ] {
        let all = combinations(&table, &choices);
        assert_eq!(all.len(), agent_modes(&table, &choices).len() * 3);
        for one in all {
            let set = targets(&table, &choices, &one.agent_mode, one.permission_mode);
            assert_eq!(one.supported, set.is_ok(), "{one:?}");
            assert_eq!(one.reason, set.as_ref().err().map(ToString::to_string), "{one:?}");
            let Ok(set) = set else { continue };
            let last = match set.set.last() {
                Some(Target::SetMode { mode_id }) => Some(mode_id.clone()),
                Some(Target::SetOption { value: OptionValue::Choice(id), .. }) => Some(id.clone()),
                _ => choices.mode.clone(),
            };
            assert_eq!(one.native_mode, last, "{one:?}");
            let daemon_allows = set.enforce == PermissionMode::Bypass;
            assert_eq!(
                daemon_allows,
                one.effect == Some(sa_api::ModeEffect::NeverAsks)
                    || one.effect == Some(sa_api::ModeEffect::Refuses)
                        && one.permission_mode == PermissionMode::Bypass,
                "{one:?}"
            );
        }
    }
}
