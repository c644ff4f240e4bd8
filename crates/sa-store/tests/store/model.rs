//! Any order of appending, reading, deleting and reopening, compared with a model that keeps everything.

use crate::scene::Scene;
use bytes::Bytes;
use proptest::prelude::*;
use sa_store::{Change, Committed, Listing, NewEvent, Retention, Store, StoreError, StoreOptions};
use std::collections::BTreeMap;

const EVENTS: u64 = 20;
const BYTES: u64 = 4_000;

#[derive(Debug, Clone)]
enum Step {
    Create(u8),
    Append(u8, Vec<u16>),
    Misplaced(u8, u64),
    Record(u8, u8),
    Read(u8, u64, usize, usize),
    Delete(u8),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let session = 0..3_u8;
    prop_oneof![
        2 => session.clone().prop_map(Step::Create),
        8 => (session.clone(), prop::collection::vec(0..900_u16, 1..12)).prop_map(|(s, sizes)| Step::Append(s, sizes)),
        1 => (session.clone(), 0..60_u64).prop_map(|(s, id)| Step::Misplaced(s, id)),
        1 => (session.clone(), any::<u8>()).prop_map(|(s, record)| Step::Record(s, record)),
        6 => (session.clone(), 0..80_u64, 0..30_usize, 0..6000_usize).prop_map(|(s, a, l, b)| Step::Read(s, a, l, b)),
        1 => session.prop_map(Step::Delete),
        1 => Just(Step::Reopen),
    ]
}

/// The expected session: everything that was ever appended, and the oldest event that the store reported.
#[derive(Default)]
struct Model {
    record: Bytes,
    events: Vec<NewEvent>,
    oldest: u64,
}

impl Model {
    fn last(&self) -> u64 {
        self.events.len() as u64
    }

    fn kept_bytes(&self, oldest: u64) -> u64 {
        self.events.iter().filter(|event| event.id >= oldest).map(|event| event.data.len() as u64).sum()
    }

    /// Checks that the store keeps just this much: within the limits, and not much less than they allow.
    fn check_trimming(&mut self, committed: Committed) {
        assert_eq!(committed.last, self.last());
        assert!(committed.oldest >= self.oldest && committed.oldest <= committed.last.max(1));
        let fits = |oldest| self.last() + 1 - oldest <= EVENTS && self.kept_bytes(oldest) <= BYTES;
        let only_the_newest = committed.oldest == self.last();
        assert!(only_the_newest || fits(committed.oldest), "too much is kept");
        if committed.oldest > self.oldest {
            let before = committed.oldest - 1;
            let slack = BYTES / 64;
            let needless = self.last() + 1 - before <= EVENTS && self.kept_bytes(before) <= BYTES - slack;
            assert!(!needless, "event {before} need not have gone");
        }
        self.oldest = committed.oldest;
    }
}

struct Pair {
    scene: Scene,
    store: Store,
    sessions: BTreeMap<u8, Model>,
}

fn name(session: u8) -> String {
    format!("session {session}")
}

impl Pair {
    async fn open(scene: &Scene) -> Store {
        let retention =
            Retention { events_per_session: EVENTS, bytes_per_session: BYTES, ..Retention::default() };
        Store::open(&scene.path(), StoreOptions { retention, ..StoreOptions::default() }).await.unwrap()
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Create(session) => {
                let made = self
                    .store
                    .create(&name(session), Bytes::from_static(b"{}"), Listing::default())
                    .await
                    .unwrap();
                assert_eq!(made, !self.sessions.contains_key(&session));
                let fresh = Model { record: Bytes::from_static(b"{}"), events: Vec::new(), oldest: 1 };
                self.sessions.entry(session).or_insert(fresh);
            }
            Step::Append(session, sizes) => self.append(session, sizes).await,
            Step::Misplaced(session, id) => {
                let Some(model) = self.sessions.get(&session) else { return };
                let expected = model.last() + 1;
                if id != expected {
                    let events = vec![NewEvent { id, at_ms: 0, data: Bytes::new(), mark: None }];
                    let refused =
                        self.store.commit(&name(session), Change { events, ..Change::default() }).await;
                    assert_eq!(refused, Err(StoreError::Sequence { expected, found: id }));
                }
            }
            Step::Record(session, record) => {
                let Some(model) = self.sessions.get_mut(&session) else { return };
                model.record = vec![record; 1 + usize::from(record) * 20].into();
                let change = Change { record: Some(model.record.clone()), ..Change::default() };
                self.store.commit(&name(session), change).await.unwrap();
            }
            Step::Read(session, after, limit, bytes) => self.read(session, after, limit, bytes).await,
            Step::Delete(session) => {
                let there = self.sessions.remove(&session).is_some();
                assert_eq!(self.store.delete(&name(session)).await.unwrap(), there);
            }
            Step::Reopen => {
                self.store.close().await;
                self.store = Self::open(&self.scene).await;
                self.check_list().await;
            }
        }
    }

    async fn append(&mut self, session: u8, sizes: Vec<u16>) {
        let Some(model) = self.sessions.get_mut(&session) else {
            let unknown = self.store.commit(&name(session), Change::default()).await;
            assert_eq!(unknown, Err(StoreError::UnknownSession(name(session))));
            return;
        };
        let events: Vec<NewEvent> = (model.last() + 1..)
            .zip(sizes)
            .map(|(id, size)| NewEvent {
                id,
                at_ms: id * 3,
                data: vec![id as u8; usize::from(size)].into(),
                mark: None,
            })
            .collect();
        model.events.extend(events.iter().cloned());
        let committed =
            self.store.commit(&name(session), Change { events, ..Change::default() }).await.unwrap();
        model.check_trimming(committed);
    }

    async fn read(&self, session: u8, after: u64, limit: usize, bytes: usize) {
        let slice = self.store.events(&name(session), after, limit, bytes).await;
        let Some(model) = self.sessions.get(&session) else {
            assert_eq!(slice, Err(StoreError::UnknownSession(name(session))));
            return;
        };
        let slice = slice.unwrap();
        assert_eq!((slice.oldest, slice.last), (model.oldest, model.last()));
        let from = (after + 1).max(model.oldest);
        let mut room = bytes;
        let fits = |(n, event): &(usize, &NewEvent)| {
            let fits = *n == 0 || event.data.len() <= room;
            room = room.saturating_sub(event.data.len());
            fits
        };
        let expected =
            model.events.iter().filter(|event| event.id >= from).take(limit).enumerate().take_while(fits);
        let expected: Vec<_> =
            expected.map(|(_, event)| (event.id, event.at_ms, event.data.clone())).collect();
        let found: Vec<_> =
            slice.events.into_iter().map(|event| (event.id, event.at_ms, event.data)).collect();
        assert_eq!(found, expected);
    }

    async fn check_list(&self) {
        let mut listed: Vec<_> = self.store.sessions().await.unwrap().into_iter().collect();
        listed.sort_by(|a, b| a.id.cmp(&b.id));
        let found = listed.into_iter().map(|s| (s.id, s.record, s.head.oldest, s.head.last, s.head.bytes));
        let expected = self.sessions.iter().map(|(session, model)| {
            (name(*session), model.record.clone(), model.oldest, model.last(), model.kept_bytes(model.oldest))
        });
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_is_its_model(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let scene = Scene::new();
            let store = Pair::open(&scene).await;
            let mut pair = Pair { scene, store, sessions: BTreeMap::new() };
            for step in [Step::Create(0), Step::Create(1)].into_iter().chain(steps).chain([Step::Reopen]) {
                pair.take(step).await;
            }
            pair.store.close().await;
        });
    }
}
