//! Tests of the routing: who gets what, and what is closed.
#![allow(clippy::unwrap_used)]
use super::*;
use serde_json::{Value, json};

fn incoming(message: Value) -> Incoming {
    Incoming::read(message.to_string().as_bytes()).unwrap()
}

fn asks(id: Value, session: &str) -> Incoming {
    incoming(json!({"id": id, "method": "session/request_permission", "params": {"sessionId": session}}))
}

fn takes_back(id: Value) -> Incoming {
    incoming(json!({"method": CANCEL_REQUEST, "params": {"requestId": id}}))
}

fn goes_to(route: &Route, mailbox: &Mailbox) -> bool {
    matches!(route, Route::To(to, _) if to.is_same(mailbox))
}

#[test]
fn a_request_is_taken_back_where_it_was_asked() {
    let mut routes = Routes::default();
    let ((a, _a), (b, _b)) = (Mailbox::new(), Mailbox::new());
    routes.adopt("a", a.clone());
    routes.adopt("b", b.clone());
    // A call of ours has the number of the agent's request, which means nothing.
    routes.expect(7, 7, a.clone(), Opens::Nothing).unwrap();
    assert!(goes_to(&routes.route(asks(json!(7), "b")), &b));
    assert!(goes_to(&routes.route(asks(json!("x"), "a")), &a));
    assert!(goes_to(&routes.route(takes_back(json!(7.0))), &b));
    assert!(goes_to(&routes.route(takes_back(json!("x"))), &a));
    assert!(matches!(routes.route(takes_back(json!("7"))), Route::Drop));
    routes.answered("7");
    assert!(matches!(routes.route(takes_back(json!(7))), Route::Drop), "it has its answer");
    routes.release("a", &a);
    assert!(matches!(routes.route(takes_back(json!("x"))), Route::Drop), "nobody is there");
}

#[test]
fn what_is_taken_back_before_its_session_is_known_follows_it() {
    let mut routes = Routes::default();
    let (mailbox, _inbox) = Mailbox::new();
    routes.expect(1, 1, mailbox.clone(), Opens::New).unwrap();
    assert!(matches!(routes.route(asks(json!(1), "new")), Route::Drop));
    assert!(matches!(routes.route(takes_back(json!(1))), Route::Drop));
    let Route::To(_, messages) = routes.route(incoming(json!({"id": 1, "result": {"sessionId": "new"}})))
    else {
        panic!("nobody got the answer");
    };
    assert!(matches!(
        &messages[..],
        [FromAgent::Response { .. }, FromAgent::Request { .. }, FromAgent::Notification { .. }]
    ));
}

#[test]
fn a_session_that_nobody_waits_for_any_more_is_closed() {
    let opened = |call: u64| incoming(json!({"id": call, "result": {"sessionId": "s"}}));
    let mut routes = Routes::default();
    let (gone, inbox) = Mailbox::new();
    routes.expect(1, 1, gone.clone(), Opens::New).unwrap();
    routes.expect(2, 2, gone.clone(), Opens::Known("s".to_owned())).unwrap();
    routes.expect(3, 3, gone.clone(), Opens::Known("s".to_owned())).unwrap();
    routes.expect(4, 4, gone, Opens::Nothing).unwrap();
    drop(inbox);
    assert!(matches!(routes.route(opened(1)), Route::Close(session) if session == "s"));
    assert!(matches!(routes.route(opened(2)), Route::Close(_)));
    // Somebody else resumes it meanwhile, and keeps it.
    let (mailbox, _inbox) = Mailbox::new();
    routes.adopt("s", mailbox.clone());
    assert!(matches!(routes.route(opened(3)), Route::Drop));
    assert!(matches!(routes.route(opened(4)), Route::Drop));
    assert!(goes_to(&routes.route(asks(json!(9), "s")), &mailbox));
}

#[test]
fn little_is_kept_for_a_session_that_is_not_known_yet() {
    let kept_of = |count: usize, message: &dyn Fn() -> Incoming| {
        let mut routes = Routes::default();
        let (mailbox, _inbox) = Mailbox::new();
        routes.expect(1, 1, mailbox, Opens::New).unwrap();
        routes.route(asks(json!(1), "new"));
        for _ in 0..count {
            routes.route(message());
        }
        routes.early.len()
    };
    let update = |text: &str| {
        incoming(json!({"method": "session/update", "params": {"sessionId": "new", "text": text}}))
    };
    let (large, larger) = ("x".repeat(EARLY_BYTES / 8), "x".repeat(EARLY_BYTES));
    assert_eq!(kept_of(2 * EARLY, &|| update("x")), EARLY);
    assert_eq!(kept_of(12, &|| update(&large)), 7);
    assert_eq!(kept_of(3, &|| update(&larger)), 1);
    assert_eq!(kept_of(2 * EARLY, &|| takes_back(json!(1))), EARLY);
}
