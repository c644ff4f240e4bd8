//! Questions and permissions: asked, decided by clients, once.

use crate::api::{Api, ending, of_kind, said};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};

#[tokio::test]
async fn a_permission_waits_until_a_client_decides() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    for (reply, word) in [("once", "allow_once"), ("reject", "reject_once")] {
        let accepted = api.send("s", "permission Send it off").await?;
        let session = api.when("s", "a permission", |session| session["state"] == "requiresAction").await?;
        let asked = &session["permissions"][0];
        assert_eq!((&asked["title"], &asked["turnId"]), (&json!("Send it off"), &accepted["turnId"]));
        let replies: Vec<&str> = asked["options"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|option| option["reply"].as_str())
            .collect();
        assert!(["once", "always", "reject"].iter().all(|reply| replies.contains(reply)), "{asked:#}");
        assert_eq!(api.decide("s", json!({"reply": reply})).await?["id"], asked["id"]);
        let events = api.turn_of("s", &accepted).await?;
        let resolved = &of_kind(&events, "permissionResolved")[0];
        assert_eq!(
            (&resolved["id"], &resolved["reply"], &resolved["optionId"], &resolved["by"]),
            (&asked["id"], &json!(reply), &json!(word), &json!("client"))
        );
        assert_eq!(ending(&events), "endTurn");
        assert!(api.session("s").await?["permissions"].as_array().unwrap().is_empty());
    }
    Ok(())
}

#[tokio::test]
async fn always_means_that_nobody_is_asked_again() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "permission Push").await?;
    api.decide("s", json!({"reply": "always"})).await?;
    api.turn_of("s", &accepted).await?;
    let events = api.turn("s", "permission Push").await?;
    assert_eq!(of_kind(&events, "permissionAsked").len(), 0, "{events:#?}");
    assert_eq!(ending(&events), "endTurn");
    Ok(())
}

#[tokio::test]
async fn a_rejection_may_say_why() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "permission Delete it").await?;
    api.decide("s", json!({"reply": "reject", "message": "say keep it"})).await?;
    api.turn_of("s", &accepted).await?;
    sa_e2e::poll("the reason to reach the agent", async || {
        Ok(said(&api.events("s").await?).contains("keep it").then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_question_is_answered_with_labels_or_words() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "question form").await?;
    let asked = api.asked("s", "questions").await?;
    let questions = asked["questions"].as_array().unwrap();
    let kinds: Vec<&str> = questions.iter().filter_map(|question| question["kind"].as_str()).collect();
    assert_eq!(kinds, ["choice", "choice", "text", "integer", "boolean"], "{asked:#}");
    assert!(questions[1]["multiSelect"] == json!(true) && questions[0]["custom"] == json!(true), "{asked:#}");
    let labels: Vec<&str> = questions[0]["options"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|option| option["label"].as_str())
        .collect();
    assert_eq!(labels, ["Red", "Green", "Blue"]);
    let path = format!("/s/questions/{}/reply", asked["id"].as_str().unwrap());
    let wrong = api.post(&path, &json!({"answers": [["Red"]]})).await?;
    wrong.expect_problem(400, "invalid_request")?;
    assert_eq!(
        (&questions[3]["minimum"], &questions[3]["maximum"]),
        (&json!(1.0), &json!(99.0)),
        "{asked:#}"
    );
    assert_eq!(questions[2]["maxLength"], 200);
    let out_of_bounds = [
        (json!([["Green"], [], [], ["500"], []]), json!({"question": 4, "bound": "maximum", "value": 99})),
        (
            json!([["Green"], [], ["x".repeat(201)], ["7"], []]),
            json!({"question": 3, "bound": "maxLength", "value": 200}),
        ),
    ];
    for (answers, details) in out_of_bounds {
        let refused =
            api.post(&path, &json!({"answers": answers})).await?.expect_problem(422, "invalid_answer")?;
        assert_eq!(refused.document["details"], details);
    }
    assert_eq!(api.asked("s", "questions").await?, asked, "it stays open");
    api.answer("s", json!([["Green"], ["Apple", "Cherry"], ["some words"], ["7"], ["true"]])).await?;
    let events = api.turn_of("s", &accepted).await?;
    let text = said(&events);
    for word in ["Green", "Apple", "Cherry", "some words", "7", "yes"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let resolved = &of_kind(&events, "questionResolved")[0];
    assert_eq!((&resolved["outcome"], &resolved["by"]), (&json!("answered"), &json!("client")));
    assert_eq!(resolved["answers"][1], json!(["Apple", "Cherry"]));
    Ok(())
}

#[tokio::test]
async fn a_question_may_be_rejected() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "question text").await?;
    let asked = api.asked("s", "questions").await?;
    api.act(&format!("/s/questions/{}/reject", asked["id"].as_str().unwrap())).await?.expect_status(204)?;
    let events = api.turn_of("s", &accepted).await?;
    let resolved = &of_kind(&events, "questionResolved")[0];
    assert_eq!((&resolved["outcome"], &resolved["answers"]), (&json!("rejected"), &Value::Null));
    assert_eq!(ending(&events), "endTurn");
    Ok(())
}

#[tokio::test]
async fn who_comes_too_late_is_reported_what_was_decided() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "permission Go\nquestion single").await?;
    let permission = api.decide("s", json!({"reply": "once"})).await?;
    let question = api.answer("s", json!([["Blue"]])).await?;
    api.turn_of("s", &accepted).await?;
    let paths = [
        (format!("/s/permissions/{}/reply", permission["id"].as_str().unwrap()), json!({"reply": "reject"})),
        (format!("/s/questions/{}/reply", question["id"].as_str().unwrap()), json!({"answers": [["Red"]]})),
    ];
    for (path, body) in paths {
        let problem = api.post(&path, &body).await?.expect_problem(409, "conflict")?;
        assert_eq!(problem.document["details"]["what"], "resolved", "{problem:?}");
        let resolved = &problem.document["details"]["resolved"];
        assert_eq!(resolved["by"], "client", "{problem:?}");
        assert!(resolved["reply"] == "once" || resolved["answers"] == json!([["Blue"]]), "{problem:?}");
        let detail = problem.document["detail"].as_str().unwrap();
        assert!(detail.ends_with("allowed once by a client") || detail.ends_with("answered by a client"));
    }
    let unknown = api.post("/s/permissions/nothing/reply", &json!({"reply": "once"})).await?;
    unknown.expect_problem(404, "not_found")?;
    api.act("/s/questions/nothing/reject").await?.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn leaving_plan_mode_is_a_question() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let session = api.create_with("s", json!({"agentMode": "plan"})).await?;
    assert_eq!((&session["agentMode"], &session["choices"]["mode"]), (&json!("plan"), &json!("plan")));
    let accepted = api.send("s", "leave-plan").await?;
    let asked = api.asked("s", "questions").await?;
    assert_eq!(asked["planApproval"], true, "{asked:#}");
    let options = asked["questions"][0]["options"].as_array().unwrap().clone();
    assert_eq!(options.len(), 2, "{asked:#}");
    let yes = options[0]["label"].clone();
    api.answer("s", json!([[yes]])).await?;
    let events = api.turn_of("s", &accepted).await?;
    assert_eq!(of_kind(&events, "permissionAsked").len(), 0);
    let changed = of_kind(&events, "modeChanged");
    assert_eq!(changed.last().unwrap()["choices"]["mode"], "ask", "{events:#?}");
    Ok(())
}

#[tokio::test]
async fn what_is_open_ends_with_its_turn() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "question single").await?;
    let asked = api.asked("s", "questions").await?;
    api.act("/s/cancel").await?.expect_status(200)?;
    let events = api.turn_of("s", &accepted).await?;
    let resolved = &of_kind(&events, "questionResolved")[0];
    assert_eq!((&resolved["outcome"], &resolved["by"]), (&json!("cancelled"), &json!("turnEnded")));
    assert_eq!(ending(&events), "cancelled");
    let path = format!("/s/questions/{}/reply", asked["id"].as_str().unwrap());
    let late = api.post(&path, &json!({"answers": [["Red"]]})).await?;
    let problem = late.expect_problem(409, "conflict")?;
    assert_eq!(problem.document["details"]["what"], "resolved");
    Ok(())
}

#[tokio::test]
async fn the_text_that_leads_to_a_question_is_a_message_before_it() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    for (text, list, event) in [
        ("question single", "questions", "questionAsked"),
        ("permission Do it", "permissions", "permissionAsked"),
    ] {
        let accepted = api.send("s", &format!("say I found this: {event}\n{text}")).await?;
        api.asked("s", list).await?;
        let events = api.events("s").await?;
        let found = |fits: &dyn Fn(&Value) -> bool| events.iter().position(fits).unwrap();
        let asked = found(&|one| !one["data"][event].is_null());
        let words = format!("I found this: {event}");
        let message = found(&|one| said(std::slice::from_ref(one)).contains(&words));
        assert!(message < asked, "{events:#?}");
        api.act("/s/cancel").await?.expect_status(200)?;
        api.turn_of("s", &accepted).await?;
    }
    Ok(())
}
