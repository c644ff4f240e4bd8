//! Answers to questions and permissions: in time, late, twice, and by two clients at once.

use super::session::SessionClient;
use crate::model::{Decision, Verdict};
use crate::wire::Outcome;
use futures_util::future::join;
use serde_json::{Value, json};

/// An open question or permission, as the session lists it.
struct Open {
    /// `questions` or `permissions`.
    list: &'static str,
    id: String,
    description: Value,
}

/// Answers one of the open questions and permissions, every third time from two clients at once.
pub(super) async fn answer(client: &mut SessionClient) -> Outcome {
    let outcome = client.request(client.wire.http.get(&client.session.path("")), &[200]).await;
    let Outcome::Reply(reply) = &outcome else { return outcome };
    let session = reply.json().unwrap_or_default();
    let open: Vec<Open> =
        ["questions", "permissions"].into_iter().flat_map(|list| open_in(&session, list)).collect();
    for one in &open {
        client.session.saw_ask(one.list, &one.id);
    }
    let Some(open) = client.dice.pick(&open) else { return outcome };
    let body = body_for(client, open.list, &open.description);
    if client.dice.chance(35) {
        let (first, second) = (deciding(client), deciding(client));
        let (one, _other) = join(
            decide(client, open.list, &open.id, &body, first),
            decide(client, open.list, &open.id, &body, second),
        )
        .await;
        return one;
    }
    let name = deciding(client);
    decide(client, open.list, &open.id, &body, name).await
}

/// Answers one that was open at some time, and most likely no longer is.
pub(super) async fn answer_late(client: &mut SessionClient) -> Outcome {
    let known = client.session.known_asks();
    let Some((list, id)) = client.dice.pick(&known).cloned() else { return answer(client).await };
    let list = if list == "questions" { "questions" } else { "permissions" };
    let body = body_for(client, list, &json!({ "questions": [{ "kind": "choice", "options": [] }] }));
    let name = deciding(client);
    decide(client, list, &id, &body, name).await
}

fn open_in(session: &Value, list: &'static str) -> Vec<Open> {
    let open = session[list].as_array().map(Vec::as_slice).unwrap_or_default();
    open.iter()
        .filter_map(|one| Some(Open { list, id: one["id"].as_str()?.to_owned(), description: one.clone() }))
        .collect()
}

/// Makes up a name for a decision that the log can be searched for.
fn deciding(client: &mut SessionClient) -> String {
    client.serial += 1;
    format!("d-{}-{}", client.name, client.serial)
}

fn body_for(client: &mut SessionClient, list: &str, description: &Value) -> Value {
    if list == "permissions" {
        let reply = client.dice.pick(&["once", "once", "always", "reject"]).copied();
        return json!({ "reply": reply });
    }
    let questions = description["questions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let answers: Vec<Value> = questions.iter().map(|question| answer_to(client, question)).collect();
    json!({ "answers": answers })
}

fn answer_to(client: &mut SessionClient, question: &Value) -> Value {
    let labels: Vec<&str> = question["options"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .filter_map(|option| option["label"].as_str())
        .collect();
    match question["kind"].as_str() {
        Some("choice") => client.dice.pick(&labels).map_or_else(|| json!([]), |label| json!([label])),
        Some("number" | "integer") => json!(["7"]),
        Some("boolean") => json!(["true"]),
        Some("url") => json!([]),
        _ => json!(["some text"]),
    }
}

async fn decide(client: &SessionClient, list: &str, id: &str, body: &Value, name: String) -> Outcome {
    let mut body = body.clone();
    body["client"] = json!(name);
    let request = client.wire.http.post(&client.session.path(&format!("/{list}/{id}/reply")));
    let outcome = client.request(request.json(body.to_string()), &[204, 409]).await;
    let verdict = match outcome.status() {
        204 => Verdict::Won,
        400..500 => Verdict::Refused,
        _ => Verdict::Unknown,
    };
    client.session.decided(Decision { ask: id.to_owned(), client: name, verdict });
    outcome
}
