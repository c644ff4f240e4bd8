//! Permissions and approvals of plans.

use crate::schema::check;
use sa_api::sessions::{
    EventData, MessagePart, PermissionReply, PermissionReplyKind, PermissionRequest, QuestionRequest,
    ToolKind,
};
use sa_universal::testing::permission;
use sa_universal::{Asked, BadAnswers, Form, NoSuchOption, Reducer, permission_answer, permission_cancelled};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

fn request(call: Value, options: Value) -> Value {
    let request = json!({ "sessionId": "s", "toolCall": call, "options": options });
    check("RequestPermissionRequest", &request);
    request
}

fn asked(kinds: &[&str]) -> PermissionRequest {
    let options: Value = kinds
        .iter()
        .map(|kind| json!({ "optionId": format!("id-{kind}"), "name": kind, "kind": kind }))
        .collect();
    let params = request(json!({ "toolCallId": "c" }), options);
    match permission(&raw(&params), "p", Some("t")) {
        Ok(Asked::Permission(request)) => request,
        other => panic!("{other:?}"),
    }
}

fn reply(reply: PermissionReplyKind) -> PermissionReply {
    PermissionReply { reply, option_id: None, message: None, rule: None, client: None }
}

/// The option that a reply chooses, after the answer was held against the schema.
fn chosen(request: &PermissionRequest, reply: &PermissionReply) -> Result<Option<String>, NoSuchOption> {
    let decided = permission_answer(request, reply)?;
    check("RequestPermissionResponse", &decided.result);
    assert_eq!(decided.result["outcome"]["optionId"].as_str(), decided.option_id.as_deref());
    Ok(decided.option_id)
}

#[test]
fn a_request_says_what_would_be_done() {
    let call = json!({
        "toolCallId": "c", "title": "Write a", "name": "Write", "kind": "edit", "rawInput": { "path": "/a" },
        "content": [{ "type": "diff", "path": "/a", "oldText": "x", "newText": "y" }],
    });
    let params = request(call, json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }]));
    let Ok(Asked::Permission(request)) = permission(&raw(&params), "p1", Some("t1")) else { panic!() };
    assert_eq!(
        (request.id.as_str(), request.turn_id.as_deref(), request.tool.as_deref()),
        ("p1", Some("t1"), Some("Write"))
    );
    assert_eq!((request.title.as_str(), request.kind), ("Write a", ToolKind::Edit));
    assert_eq!(request.input, Some(json!({ "path": "/a" })));
    assert!(matches!(&request.parts[..], [MessagePart::File { path: Some(path), diff: Some(diff), .. }]
        if path == "/a" && diff.old_text.as_deref() == Some("x") && diff.new_text == "y"));
}

#[test]
fn what_was_told_of_the_call_before_is_filled_in() {
    let mut reducer = Reducer::new("run");
    reducer.begin_turn("t1");
    let call = json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "rm -r x", "kind": "execute", "rawInput": { "command": "rm" } });
    reducer.update(&raw(&json!({ "sessionId": "s", "update": call })));
    let options = json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }]);
    let (events, asked) =
        reducer.permission(&raw(&request(json!({ "toolCallId": "c" }), options.clone())), "p").unwrap();
    assert_eq!(events, []);
    let Asked::Permission(known) = asked else { panic!() };
    assert_eq!(
        (known.title.as_str(), known.kind, known.turn_id.as_deref()),
        ("rm -r x", ToolKind::Execute, Some("t1"))
    );
    // A call that is reported for the first time is a message as well.
    let call = json!({ "toolCallId": "d", "title": "New" });
    let (events, _) = reducer.permission(&raw(&request(call, options)), "p").unwrap();
    assert!(matches!(events.as_slice(), [EventData::Message(_)]), "{events:?}");
}

#[test]
fn replies_choose_options() {
    use PermissionReplyKind::{Always, Once, Reject};
    let all = asked(&["allow_always", "allow_once", "reject_always", "reject_once"]);
    for (wanted, id) in [(Once, "id-allow_once"), (Always, "id-allow_always"), (Reject, "id-reject_once")] {
        assert_eq!(chosen(&all, &reply(wanted)), Ok(Some(id.to_owned())));
    }
    assert_eq!(chosen(&asked(&["allow_once"]), &reply(Always)), Ok(Some("id-allow_once".to_owned())));
    assert_eq!(chosen(&asked(&["reject_always"]), &reply(Reject)), Ok(Some("id-reject_always".to_owned())));
    assert_eq!(chosen(&asked(&["allow_once"]), &reply(Reject)), Ok(None), "cancelled");
    assert_eq!(chosen(&asked(&["allow_always"]), &reply(Once)), Err(NoSuchOption::Reply("once")));
    check("RequestPermissionResponse", &permission_cancelled());
}

#[test]
fn an_option_can_be_named() {
    let all = asked(&["allow_once", "reject_always", "reject_once"]);
    let named = |kind, id: &str| PermissionReply { option_id: Some(id.to_owned()), ..reply(kind) };
    let chosen = |reply| chosen(&all, &reply);
    let always = "id-reject_always";
    assert_eq!(chosen(named(PermissionReplyKind::Reject, always)), Ok(Some(always.to_owned())));
    assert_eq!(chosen(named(PermissionReplyKind::Reject, "x")), Err(NoSuchOption::Id("x".to_owned())));
    let other = chosen(named(PermissionReplyKind::Once, always)).unwrap_err();
    assert_eq!(other.to_string(), "the option 'id-reject_always' stands for 'reject', not for 'once'");
}

#[test]
fn an_option_of_no_known_kind_is_a_no_unless_it_says_yes() {
    let options = json!([
        { "optionId": "a", "name": "Allow for this session", "kind": "new" }, { "optionId": "b", "name": "Proceed" },
        { "optionId": "c", "name": "Don't allow", "kind": "new" }, { "optionId": "d", "name": "Hm", "kind": 5 },
    ]);
    let params = json!({ "toolCall": { "toolCallId": "c" }, "options": options });
    let Ok(Asked::Permission(request)) = permission(&raw(&params), "p", None) else { panic!() };
    use PermissionReplyKind::{Always, Once, Reject};
    assert_eq!(
        request.options.iter().map(|option| option.reply).collect::<Vec<_>>(),
        [Always, Once, Reject, Reject]
    );
}

fn plan_approval() -> (QuestionRequest, Form) {
    let plan = json!([{ "type": "content", "content": { "type": "text", "text": "# Plan" } }]);
    let call = json!({ "toolCallId": "c", "title": "Ready?", "kind": "switch_mode", "content": plan });
    let options = json!([
        { "optionId": "auto", "name": "Yes", "kind": "allow_always" }, { "optionId": "ask", "name": "Yes", "kind": "allow_once" },
        { "optionId": "plan", "name": "No, keep planning", "kind": "reject_once" },
    ]);
    match permission(&raw(&request(call, options)), "q", None) {
        Ok(Asked::PlanApproval(request, form)) => (request, form),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_approval_of_a_plan_is_a_question() {
    let (request, form) = plan_approval();
    assert!(request.plan_approval);
    assert_eq!(request.message.as_deref(), Some("# Plan"));
    let question = &request.questions[0];
    assert_eq!(question.question, "Ready?");
    let labels: Vec<_> = question.options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["Yes", "Yes (2)", "No, keep planning"]);
    let form: Form = serde_json::from_str(&serde_json::to_string(&form).unwrap()).unwrap();
    for (label, id) in [("Yes", "auto"), ("Yes (2)", "ask"), ("No, keep planning", "plan")] {
        let answer = form.answer(&[vec![label.to_owned()]]).unwrap();
        check("RequestPermissionResponse", &answer);
        assert_eq!(answer["outcome"]["optionId"], id);
    }
    assert_eq!(form.decline()["outcome"]["optionId"], "plan");
    assert_eq!(form.cancel(), permission_cancelled());
    assert_eq!(form.answer(&[vec![]]), Err(BadAnswers::Missing(1)));
    assert_eq!(form.answer(&[]), Err(BadAnswers::Count { asked: 1, given: 0 }));
    let maybe = form.answer(&[vec!["Maybe".to_owned()]]).unwrap_err();
    assert_eq!(maybe.to_string(), "'Maybe' is no option of question 1");
}

#[test]
fn what_is_no_request_is_unparsed() {
    for params in
        [json!({}), json!({ "toolCall": {} }), json!({ "toolCall": { "toolCallId": "c" }, "options": [] })]
    {
        assert_eq!(permission(&raw(&params), "p", None).unwrap_err().raw, params);
    }
}
