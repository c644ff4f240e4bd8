//! Permissions and questions: asked on the stream, answered by POST.

use crate::client::{Client, PERMISSION, QUESTION, choose};
use anyhow::Result;
use sa_e2e::response;
use sa_testkit::Daemon;
use serde_json::{Value, json};

#[tokio::test]
async fn permission_is_given_once_or_refused() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    for (option, status) in
        [("allow_once", "completed"), ("reject_once", "failed"), ("allow_once", "completed")]
    {
        let mut asked = 0;
        let turn = client.prompt_answering(&session, "permission Launch it", |question| {
            assert_eq!(question["method"], PERMISSION);
            assert_eq!(question["params"]["sessionId"], json!(session));
            let options: Vec<_> = question["params"]["options"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| &one["optionId"])
                .collect();
            assert_eq!(options, ["allow_once", "allow_always", "reject_once", "reject_always"]);
            asked += 1;
            Ok(choose(option))
        });
        let turn = turn.await?;
        assert_eq!(asked, 1, "asked each time");
        assert_eq!(turn.said(), [format!("Permission for \"Launch it\": {option}.")]);
        assert_eq!(turn.updates("tool_call_update")[0]["status"], json!(status));
        assert_eq!(turn.stop_reason(), "end_turn");
    }
    Ok(())
}

#[tokio::test]
async fn permission_for_ever_is_not_asked_for_again() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    for (title, option, status) in [("A", "allow_always", "completed"), ("B", "reject_always", "failed")] {
        let script = format!("permission {title}");
        client.prompt_answering(&session, &script, |_| Ok(choose(option))).await?;
        let again = client.prompt(&session, &script).await?;
        assert_eq!(again.updates("tool_call_update")[0]["status"], json!(status));
    }
    let other = client.new_session().await?;
    let mut asked = false;
    client
        .prompt_answering(&other, "permission A", |_| {
            asked = true;
            Ok(choose("reject_once"))
        })
        .await?;
    assert!(asked, "it holds for the session only");
    Ok(())
}

#[tokio::test]
async fn who_comes_later_finds_the_open_question_and_can_answer_it() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let id = client.prompt_async(&session, "permission Go").await?;
    let question = client.asked(PERMISSION).await?;
    // Another reader without any history, such as a page that was reloaded.
    let mut later = daemon.acp("demo").events().await?;
    assert_eq!(later.event().await?.json()?, question);
    let answer = response(&question["id"], &choose("allow_once").to_string());
    daemon.acp("demo").post(answer).await?.expect_status(202)?;
    assert_eq!(client.answer_to(id).await?["result"]["stopReason"], json!("end_turn"));
    let mut last = daemon.acp("demo").events().await?;
    client.prompt(&session, "say answered").await?;
    let first = last.event().await?.json()?;
    assert_ne!(first["method"], json!(PERMISSION), "it is not asked any more: {first}");
    Ok(())
}

async fn with_forms(daemon: &Daemon) -> Result<(Client, String)> {
    let mut client = Client::start(daemon, "demo", json!({"elicitation": {"form": {}}})).await?;
    let session = client.new_session().await?;
    Ok((client, session))
}

#[tokio::test]
async fn questions_are_answered_in_forms() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = with_forms(&daemon).await?;
    let multi = json!({"question_2": ["Apple", "Cherry"]});
    for (script, property, content, told) in [
        ("question", "question_1", json!({"question_1": "Blue"}), "Blue"),
        ("question multi", "question_2", multi, "Cherry"),
        ("question text", "question_3", json!({"question_3": "Grace Ünïcode"}), "Grace Ünïcode"),
    ] {
        let turn = client.prompt_answering(&session, script, |question| {
            assert_eq!(question["method"], QUESTION);
            assert!(question["params"]["requestedSchema"]["properties"][property].is_object(), "{question}");
            Ok(json!({"action": "accept", "content": content}))
        });
        let turn = turn.await?;
        assert!(turn.said().concat().contains(told), "{:?}", turn.said());
    }
    for (action, told) in
        [("decline", "The question was declined."), ("cancel", "The question was cancelled.")]
    {
        let turn = client.prompt_answering(&session, "question", |_| Ok(json!({"action": action}))).await?;
        assert_eq!((turn.said(), turn.stop_reason()), (vec![told], "end_turn"));
    }
    Ok(())
}

#[tokio::test]
async fn a_client_without_forms_gets_a_choice() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let turn = client.prompt_answering(&session, "question", |question| {
        assert_eq!(question["method"], PERMISSION);
        Ok(choose("Green"))
    });
    assert!(turn.await?.said().concat().contains("Green"));
    Ok(())
}

#[tokio::test]
async fn the_agent_waits_for_an_answer_longer_than_it_may_be_silent() -> Result<()> {
    // The timeout is on the agent's silence, which does not count while it waits for a client.
    let daemon = Daemon::builder().limit("silence-ms", 1500).start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let script = "permission Go";
    let id = client.prompt_async(&session, script).await?;
    let question = client.asked(PERMISSION).await?;
    client.stream.expect_silence(std::time::Duration::from_millis(3000)).await?;
    let answer = response(&question["id"], &choose("allow_once").to_string());
    client.acp.post(answer).await?.expect_status(202)?;
    let answer = client.answer_to(id).await?;
    assert_eq!(answer["result"]["stopReason"], json!("end_turn"), "{answer}");
    Ok(())
}

#[tokio::test]
async fn anything_can_be_asked_and_told() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let script = "ext _demo/hello {\"to\":\"$SESSION\"}\nask _demo/sum [1, 2]";
    let mut asked = Value::Null;
    let turn = client.prompt_answering(&session, script, |question| {
        asked = question.clone();
        Ok(json!({"sum": 3}))
    });
    let turn = turn.await?;
    assert_eq!((&asked["method"], &asked["params"]), (&json!("_demo/sum"), &json!([1, 2])));
    let hello = turn.messages.iter().find(|message| message["method"] == "_demo/hello").unwrap();
    assert_eq!(hello["params"]["to"], json!(session));
    assert!(turn.said().concat().contains(r#"{"sum":3}"#), "{:?}", turn.said());
    Ok(())
}
