//! Data that goes in comes out, also after reopening, also without a file.

use crate::scene::{Scene, event, events, fill, message, read_all};
use bytes::Bytes;
use sa_store::{
    Change, Committed, Listing, MessageChange, MessageState, OpenError, Retention, Store, StoreError,
    StoreOptions, WebhookCursor,
};
use std::os::unix::fs::PermissionsExt as _;

fn record(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

async fn tell_a_story(store: &Store) {
    assert!(store.create("a", record("{\"title\":1}"), Listing::default()).await.unwrap());
    assert!(!store.create("a", record("{}"), Listing::default()).await.unwrap());
    assert!(store.create("b", record("{}"), Listing::default()).await.unwrap());
    let change = Change {
        listing: None,
        record: Some(record("{\"title\":2}")),
        events: vec![event("a", 1), event("a", 2)],
        messages: vec![
            MessageChange::Accept(message("t1", Some("k1"))),
            MessageChange::Accept(message("t2", None)),
        ],
        usage: Vec::new(),
        ended: Some(true),
    };
    assert_eq!(store.commit("a", change).await.unwrap(), Committed { oldest: 1, last: 2 });
    store.set_webhook_cursor("a", 1, record("{\"failures\":3}")).await.unwrap();
}

async fn check_the_story(store: &Store) {
    let sessions = store.sessions().await.unwrap();
    assert_eq!(sessions.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let a = &sessions[0];
    assert_eq!(a.record, record("{\"title\":2}"));
    assert_eq!((a.head.oldest, a.head.last), (1, 2));
    assert_eq!(a.head.bytes, (event("a", 1).data.len() + event("a", 2).data.len()) as u64);
    assert_eq!(a.webhook, Some(WebhookCursor { delivered: 1, state: record("{\"failures\":3}") }));
    assert!(
        a.head
            .ended_at_ms
            .is_some_and(|ended| ended >= a.head.created_at_ms && ended <= a.head.updated_at_ms)
    );
    let b = store.session("b").await.unwrap().unwrap();
    assert_eq!((b.head.oldest, b.head.last, b.head.ended_at_ms, b.webhook), (1, 0, None, None));
    assert_eq!(store.session("c").await.unwrap(), None);
    assert_eq!(read_all(store, "a").await.unwrap(), (1, 2));
    assert_eq!(store.message_by_key("a", "k1").await.unwrap(), Some(message("t1", Some("k1"))));
    assert_eq!(store.message_by_key("b", "k1").await.unwrap(), None);
    assert_eq!(store.pending_messages("a").await.unwrap(), [message("t1", Some("k1")), message("t2", None)]);
}

#[tokio::test]
async fn a_store_tells_what_it_was_told_also_when_it_is_opened_again() {
    let scene = Scene::new();
    let store = scene.open().await;
    tell_a_story(&store).await;
    check_the_story(&store).await;
    store.close().await;
    let store = scene.open().await;
    check_the_story(&store).await;
}

#[tokio::test]
async fn a_store_in_memory_behaves_the_same() {
    let store = Store::in_memory(StoreOptions::default()).await.unwrap();
    tell_a_story(&store).await;
    check_the_story(&store).await;
    assert_eq!(store.path(), None);
    fill(&store, "long", 1000).await;
    assert_eq!(read_all(&store, "long").await.unwrap(), (1, 1000));
    assert!(store.delete("long").await.unwrap());
    assert_eq!(store.events("long", 0, 1, 1).await, Err(StoreError::UnknownSession("long".to_owned())));
    store.close().await;
    assert_eq!(store.sessions().await, Err(StoreError::Closed));
}

#[tokio::test]
async fn ids_continue_or_the_change_is_refused_whole() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "a", 3).await;
    for (ids, expected, found) in
        [(vec![5], 4, 5), (vec![3], 4, 3), (vec![4, 6], 5, 6), (vec![4, 4], 5, 4), (vec![0], 4, 0)]
    {
        let refused = Change { record: Some(record("{\"no\":1}")), ..events("a", ids) };
        assert_eq!(store.commit("a", refused).await, Err(StoreError::Sequence { expected, found }));
    }
    let session = store.session("a").await.unwrap().unwrap();
    assert_eq!((session.head.last, session.record), (3, record("{}")));
    assert_eq!(store.commit("a", events("a", [4])).await.unwrap().last, 4);
    let unknown = StoreError::UnknownSession("z".to_owned());
    assert_eq!(store.commit("z", Change::default()).await, Err(unknown.clone()));
    assert_eq!(store.set_webhook_cursor("z", 1, Bytes::new()).await, Err(unknown));
}

#[tokio::test]
async fn a_slice_is_bounded_in_events_and_in_bytes() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "a", 10).await;
    let ids = async |after, limit, bytes| -> Vec<u64> {
        let slice = store.events("a", after, limit, bytes).await.unwrap();
        assert_eq!((slice.oldest, slice.last), (1, 10));
        slice.events.into_iter().map(|event| event.id).collect()
    };
    assert_eq!(ids(0, 3, usize::MAX).await, [1, 2, 3]);
    assert_eq!(ids(8, 3, usize::MAX).await, [9, 10]);
    assert_eq!(ids(10, 3, usize::MAX).await, [0; 0]);
    assert_eq!(ids(u64::MAX, 3, usize::MAX).await, [0; 0]);
    assert_eq!(ids(4, 3, 0).await, [5], "one event always comes");
    let two = event("a", 5).data.len() + event("a", 6).data.len();
    assert_eq!(ids(4, 10, two).await, [5, 6]);
    assert_eq!(ids(4, 10, two - 1).await, [5]);
    assert_eq!(ids(4, 0, usize::MAX).await, [0; 0]);
}

#[tokio::test]
async fn messages_go_on_and_are_known_by_their_key_when_they_are_done() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "a", 1).await;
    let change = |messages| store.commit("a", Change { messages, ..Change::default() });
    let state = |turn: &str, state| MessageChange::State { turn_id: turn.to_owned(), state };
    let accept = |turn, key| MessageChange::Accept(message(turn, key));
    change(vec![accept("t1", Some("k1")), accept("t2", None), accept("t3", Some("k3"))]).await.unwrap();
    change(vec![state("t1", MessageState::Running)]).await.unwrap();
    let pending = store.pending_messages("a").await.unwrap();
    let turns = pending.iter().map(|message| (message.turn_id.as_str(), message.state));
    assert!(turns.eq([
        ("t1", MessageState::Running),
        ("t2", MessageState::Queued),
        ("t3", MessageState::Queued)
    ]));

    for repeated in [accept("t1", None), accept("t9", Some("k1"))] {
        let kept = change(vec![accept("t8", None), repeated]).await;
        assert!(matches!(kept, Err(StoreError::Repeated(_))), "{kept:?}");
    }
    assert_eq!(
        change(vec![state("t8", MessageState::Running)]).await,
        Err(StoreError::UnknownTurn("t8".to_owned()))
    );

    change(vec![state("t1", MessageState::Done), state("t2", MessageState::Done)]).await.unwrap();
    change(vec![state("t2", MessageState::Done)]).await.unwrap();
    assert_eq!(store.pending_messages("a").await.unwrap(), [message("t3", Some("k3"))]);
    let done = store.message_by_key("a", "k1").await.unwrap().unwrap();
    assert_eq!((done.state, done.body.len()), (MessageState::Done, 0));
    assert_eq!((done.answer, done.body_digest), (message("t1", None).answer, [7; 32]));
}

/// Accepts messages under keys that are their turns' ids, and has them done.
async fn run_through(store: &Store, turns: std::ops::Range<u32>) {
    let turns: Vec<String> = turns.map(|n| format!("t{n}")).collect();
    let accepted = turns.iter().map(|turn| MessageChange::Accept(message(turn, Some(turn))));
    let done =
        turns.iter().map(|turn| MessageChange::State { turn_id: turn.clone(), state: MessageState::Done });
    let messages = accepted.chain(done).collect();
    store.commit("a", Change { messages, ..Change::default() }).await.unwrap();
}

#[tokio::test]
async fn keys_are_remembered_by_time_and_up_to_a_number() {
    let known = async |store: &Store, key: &str| store.message_by_key("a", key).await.unwrap().is_some();
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "a", 1).await;
    for start in (0..1000).step_by(100) {
        run_through(&store, start..start + 100).await;
    }
    assert!(known(&store, "t0").await && known(&store, "t999").await, "a thousand are few");
    let again =
        Change { messages: vec![MessageChange::Accept(message("t", Some("t0")))], ..Change::default() };
    assert!(matches!(store.commit("a", again).await, Err(StoreError::Repeated(_))));
    store.close().await;

    let store = scene.open_keeping(Retention { keys_per_session: 600, ..Retention::default() }).await;
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    run_through(&store, 1000..1001).await;
    assert!(!known(&store, "t0").await && known(&store, "t1000").await && known(&store, "t999").await);
    store.close().await;

    let store = scene.open_keeping(Retention { keys_ms: 1, ..Retention::default() }).await;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    run_through(&store, 1001..1002).await;
    assert!(!known(&store, "t1000").await && known(&store, "t1001").await);
    assert!(store.delete("a").await.unwrap());
    fill(&store, "a", 1).await;
    assert!(!known(&store, "t1001").await, "they are of another session");
}

#[tokio::test]
async fn files_are_for_their_owner_only() {
    let scene = Scene::new();
    let path = scene.directory.path().join("made").join("here").join("sessions.db");
    let store = Store::open(&path, StoreOptions::default()).await.unwrap();
    fill(&store, "a", 1).await;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    let names: Vec<_> =
        path.parent().unwrap().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(names.len() >= 3, "{names:?}");
    for name in names {
        assert_eq!(mode(&name), 0o600, "{}", name.display());
    }
    assert_eq!(store.path(), Some(path.as_path()));
}

#[tokio::test]
async fn one_process_has_a_file_at_a_time() {
    let scene = Scene::new();
    let store = scene.open().await;
    let second = Store::open(&scene.path(), StoreOptions::default()).await.unwrap_err();
    assert_eq!(second, OpenError::InUse { path: scene.path(), holder: Some(std::process::id()) });
    assert!(second.to_string().contains(&std::process::id().to_string()), "{second}");
    store.close().await;
    assert_eq!(store.create("a", Bytes::new(), Listing::default()).await, Err(StoreError::Closed));
    scene.open().await;
}
