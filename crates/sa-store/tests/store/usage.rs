//! Tokens and cost: what they are grouped by, what of them survives, and how long they are kept.

use crate::scene::Scene;
use bytes::Bytes;
use rusqlite::Connection;
use sa_store::{
    Change, Listing, Retention, Store, Tokens, UsageDimension, UsageKey, UsageNote, UsageQuery, UsageSum,
};

const DAY: u64 = 86_400_000;

fn note(turn: &str, model: &str, at_ms: u64, input: u64, cost: u64) -> UsageNote {
    UsageNote {
        turn: turn.to_owned(),
        agent: "demo".to_owned(),
        model: model.to_owned(),
        at_ms,
        turns: 1,
        tokens: Tokens { input: Some(input), ..Tokens::default() },
        currency: if cost > 0 { "USD".to_owned() } else { String::new() },
        cost,
    }
}

async fn make(store: &Store, session: &str, usage: Vec<UsageNote>) {
    store.create(session, Bytes::new(), Listing::default()).await.unwrap();
    store.commit(session, Change { usage, ..Change::default() }).await.unwrap();
}

fn by(dimensions: &[UsageDimension]) -> UsageQuery {
    UsageQuery { group_by: dimensions.iter().copied().collect(), limit: 100, ..UsageQuery::default() }
}

fn sum(turns: u64, input: u64, cost: u64) -> UsageSum {
    UsageSum {
        turns,
        tokens: Tokens { input: Some(input), ..Tokens::default() },
        costs: (cost > 0).then(|| ("USD".to_owned(), cost)).into_iter().collect(),
    }
}

async fn scene() -> (Scene, Store) {
    let scene = Scene::new();
    let store = scene.open().await;
    make(&store, "a", vec![note("1", "big", DAY, 10, 5), note("2", "small", 2 * DAY, 1, 0)]).await;
    make(&store, "b", vec![note("3", "big", 2 * DAY + 7, 100, 50)]).await;
    (scene, store)
}

#[tokio::test]
async fn usage_is_grouped_filtered_and_bounded_by_time() {
    let (_scene, store) = scene().await;
    let models = store.usage(by(&[UsageDimension::Model])).await.unwrap();
    let key = |model: &str| UsageKey { model: Some(model.to_owned()), ..UsageKey::default() };
    assert_eq!(models.groups, [(key("big"), sum(2, 110, 55)), (key("small"), sum(1, 1, 0))]);
    assert_eq!(models.total, sum(3, 111, 55));
    let days = UsageQuery { from_ms: DAY + 1, to_ms: Some(2 * DAY + 7), ..by(&[UsageDimension::Day]) };
    let days = store.usage(days).await.unwrap();
    assert_eq!(days.groups, [(UsageKey { day: Some(2), ..UsageKey::default() }, sum(1, 1, 0))]);
    let only = UsageQuery { sessions: ["b".to_owned()].into(), ..by(&[]) };
    assert_eq!(store.usage(only).await.unwrap().groups, [(UsageKey::default(), sum(1, 100, 50))]);
}

#[tokio::test]
async fn pages_show_each_group_once_and_the_same_total() {
    let (_scene, store) = scene().await;
    let all = [UsageDimension::Session, UsageDimension::Model];
    let whole = store.usage(by(&all)).await.unwrap();
    assert!(!whole.has_more);
    let mut query = UsageQuery { limit: 1, ..by(&all) };
    let mut seen = Vec::new();
    loop {
        let page = store.usage(query.clone()).await.unwrap();
        assert_eq!(page.total, whole.total);
        seen.extend(page.groups);
        query.after = seen.last().map(|(key, _)| key.clone());
        if !page.has_more {
            break;
        }
    }
    assert_eq!(seen, whole.groups);
}

#[tokio::test]
async fn parts_of_a_turn_add_up_in_one_row() {
    let scene = Scene::new();
    let store = scene.open().await;
    let cost =
        |at_ms, cost| UsageNote { turns: 0, tokens: Tokens::default(), ..note("1", "big", at_ms, 0, cost) };
    make(&store, "a", vec![cost(5, 3), cost(6, 4), note("1", "big", 7, 10, 1)]).await;
    assert_eq!(store.usage(by(&[])).await.unwrap().total, sum(1, 10, 8));
    let late = UsageQuery { from_ms: 7, ..by(&[]) };
    assert_eq!(store.usage(late).await.unwrap().total, sum(1, 10, 8), "a turn counts when it ends");
}

#[tokio::test]
async fn usage_outlives_its_session_and_the_daemon() {
    let (scene, store) = scene().await;
    store.delete("b").await.unwrap();
    store.close().await;
    assert_eq!(scene.open().await.usage(by(&[])).await.unwrap().total, sum(3, 111, 55));
}

#[tokio::test]
async fn old_usage_goes_when_there_is_too_much() {
    let scene = Scene::new();
    let store = scene.open_keeping(Retention { total_bytes: 64 * 256 * 100, ..Retention::default() }).await;
    let notes = (0..1000).map(|turn| note(&turn.to_string(), "big", turn, 1, 0)).collect();
    make(&store, "a", notes).await;
    let kept = store.usage(by(&[])).await.unwrap().total.turns;
    assert!((100..100 + 64).contains(&kept), "{kept} turns are kept");
    let newest = UsageQuery { from_ms: 999, ..by(&[]) };
    assert_eq!(store.usage(newest).await.unwrap().total.turns, 1);
}

#[tokio::test]
async fn a_damaged_row_is_left_out_and_holds_nobody_up() {
    let (scene, store) = scene().await;
    store.close().await;
    let flip = "UPDATE usage SET input = 11 WHERE turn = '1'";
    Connection::open(scene.path()).unwrap().execute_batch(flip).unwrap();
    let store = scene.open().await;
    assert_eq!(store.usage(by(&[])).await.unwrap().total, sum(2, 101, 50));
    store
        .commit("a", Change { usage: vec![note("1", "big", DAY, 10, 5)], ..Change::default() })
        .await
        .unwrap();
    assert_eq!(store.usage(by(&[])).await.unwrap().total, sum(3, 111, 55));
}

#[tokio::test]
async fn a_file_of_version_6_gets_the_table_and_begins_to_count() {
    let (scene, store) = scene().await;
    store.close().await;
    let connection = Connection::open(scene.path()).unwrap();
    connection.execute_batch("DROP TABLE usage; PRAGMA user_version = 6").unwrap();
    drop(connection);
    let store = scene.open().await;
    assert_eq!(store.usage(by(&[])).await.unwrap().total, UsageSum::default());
    store.commit("a", Change { usage: vec![note("4", "big", 1, 2, 3)], ..Change::default() }).await.unwrap();
    assert_eq!(store.usage(by(&[])).await.unwrap().total, sum(1, 2, 3));
}
