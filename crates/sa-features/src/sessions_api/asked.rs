//! Questions and permissions: as requests of an agent, and their answers as replies.

use super::Inner;
use anyhow::{Context, Result, ensure};
use sa_api::sessions::{
    PermissionReplyKind, PermissionRequest, Question, QuestionKind, QuestionRequest, ToolKind,
};
use serde_json::{Map, Value, json};

/// Something that an agent waits for.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) session: String,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Permission(PermissionRequest),
    Question(QuestionRequest),
    Plan,
}

/// The option by which a plan is rejected.
const REJECT: &str = "reject";

impl Inner {
    pub(super) fn permission(&self, session: &str, request: PermissionRequest) {
        let options = request.options.iter().map(|option| {
            let kind = match option.reply {
                PermissionReplyKind::Once => "allow_once",
                PermissionReplyKind::Always => "allow_always",
                PermissionReplyKind::Reject => "reject_once",
            };
            json!({ "optionId": option.id, "name": option.name, "kind": kind })
        });
        let kind = match request.kind {
            ToolKind::SwitchMode => json!("switch_mode"),
            kind => json!(kind),
        };
        let params = json!({
            "sessionId": session,
            "toolCall": { "toolCallId": request.tool_call_id, "title": request.title, "kind": kind, "rawInput": request.input },
            "options": options.collect::<Vec<_>>(),
        });
        let id = request.id.clone();
        self.ask(session, &id, "session/request_permission", params, What::Permission(request));
    }

    pub(super) fn question(&self, session: &str, request: QuestionRequest) {
        let id = request.id.clone();
        if request.plan_approval {
            let labels = request.questions.iter().flat_map(|question| &question.options);
            let option = |label: &String| json!({ "optionId": label, "name": label, "kind": "allow_once" });
            let mut options: Vec<Value> = labels.map(|choice| option(&choice.label)).collect();
            options.push(json!({ "optionId": REJECT, "name": "Reject", "kind": "reject_once" }));
            let text = request.message.clone().unwrap_or_default();
            let content = json!([{ "type": "content", "content": { "type": "text", "text": text } }]);
            let call =
                json!({ "toolCallId": request.tool_call_id, "kind": "switch_mode", "content": content });
            let params = json!({ "sessionId": session, "toolCall": call, "options": options });
            return self.ask(session, &id, "session/request_permission", params, What::Plan);
        }
        let properties =
            request.questions.iter().enumerate().map(|(n, question)| (name(n), property(question)));
        let schema = json!({ "type": "object", "properties": properties.collect::<Map<_, _>>() });
        let message =
            request.message.clone().or_else(|| request.questions.first().map(|q| q.question.clone()));
        let params =
            json!({ "sessionId": session, "mode": "form", "message": message, "requestedSchema": schema });
        self.ask(session, &id, "elicitation/create", params, What::Question(request));
    }

    fn ask(&self, session: &str, id: &str, method: &str, params: Value, what: What) {
        self.state().asked.insert(id.to_owned(), Asked { session: session.to_owned(), what });
        (self.take)(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// The body's answer to a request.
    pub(super) async fn answer(&self, message: &Value) -> Result<()> {
        let id = message["id"].as_str().context("an id")?;
        let asked = self.state().asked.get(id).cloned().context("an answer to nothing")?;
        let session = format!("/v1/sessions/{}", asked.session);
        let (path, body) = match &asked.what {
            What::Permission(request) => {
                let option = &message["result"]["outcome"]["optionId"];
                let chosen = request.options.iter().find(|known| *option == known.id.as_str());
                let chosen = chosen.with_context(|| format!("an option: {message}"))?;
                let body = json!({ "reply": chosen.reply, "optionId": chosen.id });
                (format!("{session}/permissions/{id}/reply"), body)
            }
            What::Plan => match message["result"]["outcome"]["optionId"].as_str() {
                Some(REJECT) => (format!("{session}/questions/{id}/reject"), json!({})),
                label => (format!("{session}/questions/{id}/reply"), json!({ "answers": [[label]] })),
            },
            What::Question(request) if message["result"]["action"] == "accept" => {
                let content = &message["result"]["content"];
                let answers = (0..request.questions.len()).map(|n| words(&content[name(n)]));
                let body = json!({ "answers": answers.collect::<Vec<_>>() });
                (format!("{session}/questions/{id}/reply"), body)
            }
            What::Question(_) => (format!("{session}/questions/{id}/reject"), json!({})),
        };
        let reply = self.http.post(&path).json(body.to_string()).send().await?;
        // A late answer is refused.
        ensure!([200, 204, 409].contains(&reply.status), "{path}: {} {}", reply.status, reply.text());
        Ok(())
    }
}

fn name(n: usize) -> String {
    format!("question_{}", n + 1)
}

fn property(question: &Question) -> Value {
    let labels = || {
        let labelled = |option: &sa_api::sessions::QuestionOption| json!({ "const": option.label, "title": option.label });
        question.options.iter().map(labelled).collect::<Vec<_>>()
    };
    let mut property = match question.kind {
        QuestionKind::Choice if question.multi_select => {
            json!({ "type": "array", "items": { "anyOf": labels() } })
        }
        QuestionKind::Choice => json!({ "type": "string", "oneOf": labels() }),
        QuestionKind::Number => json!({ "type": "number" }),
        QuestionKind::Integer => json!({ "type": "integer" }),
        QuestionKind::Boolean => json!({ "type": "boolean" }),
        QuestionKind::Text | QuestionKind::Url => json!({ "type": "string" }),
    };
    property["description"] = json!(question.question);
    property
}

fn words(value: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Value::Null => Vec::new(),
        Value::Array(values) => values.iter().map(word).collect(),
        value => vec![word(value)],
    }
}
