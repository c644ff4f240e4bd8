//! The usage of a session, over all runs of its agent.

use proptest::prelude::*;
use sa_api::sessions::{EventData, Usage, UsageCost};
use sa_universal::Reducer;
use serde_json::json;
use serde_json::value::to_raw_value;

/// The agent says what it cost; returns what the session has cost.
fn tell(reducer: &mut Reducer, amount: f64) -> f64 {
    let cost = json!({ "amount": amount, "currency": "USD" });
    let update = json!({ "sessionUpdate": "usage_update", "used": 10, "size": 100, "cost": cost });
    reducer.update(&to_raw_value(&json!({ "update": update })).unwrap());
    reducer.usage().cost.as_ref().unwrap().amount
}

/// Another daemon takes the session up.
fn restarted(reducer: &Reducer) -> Reducer {
    let mut next = Reducer::new("next");
    next.carry_usage(reducer.usage().clone());
    next
}

#[test]
fn runs_add_up_whether_the_agent_counts_on_or_from_zero() {
    let mut reducer = Reducer::new("run");
    reducer.begin_run(1);
    reducer.begin_session();
    assert_eq!((tell(&mut reducer, 1.0), tell(&mut reducer, 1.5)), (1.0, 1.5));
    reducer.begin_run(2);
    assert_eq!((tell(&mut reducer, 0.1), tell(&mut reducer, 0.3)), (1.6, 1.8), "from zero");
    let mut reducer = restarted(&reducer);
    reducer.begin_run(3);
    assert_eq!((tell(&mut reducer, 1.9), tell(&mut reducer, 2.0)), (1.9, 2.0), "it counts on");
    reducer.begin_run(4);
    reducer.begin_session();
    assert_eq!(tell(&mut reducer, 3.0), 5.0, "another session of the agent's");
}

#[test]
fn what_is_not_said_again_stays() {
    let mut reducer = Reducer::new("run");
    tell(&mut reducer, 1.0);
    let mut reducer = restarted(&reducer);
    reducer.begin_run(2);
    let update = json!({ "sessionUpdate": "usage_update", "used": 20, "size": 100 });
    let events = reducer.update(&to_raw_value(&json!({ "update": update })).unwrap());
    let cost = Some(UsageCost { amount: 1.0, currency: "USD".to_owned() });
    let usage = Usage { context_used: Some(20), context_size: Some(100), cost, ..Usage::default() };
    assert_eq!(events, [EventData::Usage(usage)]);
}

#[derive(Debug, Clone)]
enum Step {
    Spend(u32),
    Restart,
    NewRun,
    NewSession,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..2000_u32).prop_map(Step::Spend),
        1 => Just(Step::Restart),
        1 => Just(Step::NewRun),
        1 => Just(Step::NewSession),
    ]
}

proptest! {
    #[test]
    fn it_never_gets_less(steps in prop::collection::vec(step(), 1..60), from_zero in any::<bool>()) {
        let mut reducer = Reducer::new("run");
        let (mut run, mut told, mut shown) = (1, 0_u32, 0.0_f64);
        reducer.begin_run(run);
        for step in steps {
            match step {
                Step::Spend(cents) => {
                    told += cents;
                    let now = tell(&mut reducer, f64::from(told) / 100.0);
                    prop_assert!(now >= shown && now >= f64::from(told) / 100.0, "{shown} became {now}");
                    shown = now;
                }
                Step::Restart => {
                    reducer = restarted(&reducer);
                    run += 1;
                    reducer.begin_run(run);
                    told = if from_zero { 0 } else { told };
                }
                Step::NewRun => {
                    run += 1;
                    reducer.begin_run(run);
                    told = if from_zero { 0 } else { told };
                }
                Step::NewSession => {
                    reducer.begin_session();
                    told = 0;
                }
            }
        }
    }
}
