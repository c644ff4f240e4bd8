//! The OpenAI Chat Completions API, as OpenAI and those who are compatible with it speak it.

use crate::conversation::{
    Conversation, Form, Offer, Said, call_id, list_of, media_type, text_of, texts_of, unique,
};
use crate::dialect::{Dialect, Event, Tokens, json_input, pieces};
use crate::direct::Kind;
use crate::openai;
use crate::tools::Call;
use bytes::Bytes;
use serde_json::{Value, json};

/// Reads a request of `POST /v1/chat/completions`.
pub(crate) fn read(body: &Value) -> Conversation {
    let limit = body.get("max_completion_tokens").or_else(|| body.get("max_tokens"));
    let mut conversation = Conversation {
        model: text_of(body, "model").unwrap_or_default().to_owned(),
        tools: list_of(body, "tools").iter().filter_map(offer).collect(),
        effort: text_of(body, "reasoning_effort").map(str::to_owned),
        thinking: body.get("thinking").or_else(|| body.get("reasoning")).map(Value::to_string),
        schema: body.pointer("/response_format/json_schema/schema").cloned(),
        max_tokens: limit.and_then(Value::as_u64),
        stream: body.get("stream").and_then(Value::as_bool).unwrap_or(false),
        ..Conversation::default()
    };
    for message in list_of(body, "messages") {
        let texts = texts_of(message.get("content"));
        match text_of(message, "role") {
            Some("system" | "developer") => texts.into_iter().for_each(|text| conversation.instruct(text)),
            Some("assistant") => {
                let call = list_of(message, "tool_calls").iter().find_map(|call| text_of(call, "id"));
                conversation.assistant(call);
            }
            Some("tool" | "function") => {
                conversation.user(Said { results: vec![texts.join("\n")], ..Said::default() });
            }
            _ => conversation.user(Said { images: images(message), ..Said::prompt(texts) }),
        }
    }
    conversation
}

fn offer(tool: &Value) -> Option<Offer> {
    let function = tool.get("function")?;
    Some(Offer::new(text_of(function, "name")?, Form::Function, function.get("parameters")))
}

fn images(message: &Value) -> Vec<String> {
    let urls = list_of(message, "content").iter().filter_map(|part| part.pointer("/image_url/url"));
    urls.filter_map(Value::as_str).map(media_type).collect()
}

/// Returns whether the request asks for the usage at the end of the stream.
pub(crate) fn wants_usage(body: &Value) -> bool {
    body.pointer("/stream_options/include_usage").and_then(Value::as_bool).unwrap_or(false)
}

/// An answer while it is sent.
pub(crate) struct Chat {
    id: String,
    model: String,
    created: u64,
    wants_usage: bool,
    content: String,
    reasoning: String,
    calls: Vec<Value>,
    finish: Value,
    usage: Value,
}

impl Chat {
    pub(crate) fn new(model: &str, wants_usage: bool) -> Self {
        Self {
            id: format!("chatcmpl-{}", unique()),
            model: model.to_owned(),
            created: openai::now(),
            wants_usage,
            content: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            finish: Value::Null,
            usage: Value::Null,
        }
    }

    fn document(&self, object: &str, choices: &Value) -> Value {
        json!({
            "id": self.id, "object": object, "created": self.created, "model": self.model,
            "system_fingerprint": null, "choices": choices,
        })
    }

    fn chunk(&self, delta: &Value, finish: &Value) -> Event {
        let choices = json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }]);
        Event::data(&self.document("chat.completion.chunk", &choices))
    }
}

impl Dialect for Chat {
    fn begin(&mut self, _tokens: &Tokens, out: &mut Vec<Event>) {
        out.push(self.chunk(&json!({ "role": "assistant", "content": "", "refusal": null }), &Value::Null));
    }

    fn delta(&mut self, kind: Kind, piece: &str, out: &mut Vec<Event>) {
        let delta = match kind {
            Kind::Think => json!({ "reasoning_content": piece }),
            Kind::Say => json!({ "content": piece }),
        };
        out.push(self.chunk(&delta, &Value::Null));
    }

    fn close(&mut self, kind: Kind, text: &str, _out: &mut Vec<Event>) {
        match kind {
            Kind::Think => self.reasoning.push_str(text),
            Kind::Say => self.content.push_str(text),
        }
    }

    fn call(&mut self, call: &Call, step: usize, out: &mut Vec<Event>) {
        let index = self.calls.len();
        let arguments = json_input(&call.input).to_string();
        let mut told = json!({
            "id": call_id("call", step), "type": "function", "function": { "name": call.name, "arguments": "" },
        });
        let mut first = told.clone();
        first["index"] = json!(index);
        out.push(self.chunk(&json!({ "tool_calls": [first] }), &Value::Null));
        for piece in pieces(&arguments, 24) {
            let delta = json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] });
            out.push(self.chunk(&delta, &Value::Null));
        }
        told["function"]["arguments"] = json!(arguments);
        self.calls.push(told);
    }

    fn end(&mut self, stop: &str, tokens: &Tokens, out: &mut Vec<Event>) {
        self.finish = json!(match stop {
            "end_turn" | "stop_sequence" => "stop",
            "tool_use" => "tool_calls",
            "max_tokens" => "length",
            "refusal" => "content_filter",
            other => other,
        });
        self.usage = openai::usage(tokens, "prompt", "completion");
        out.push(self.chunk(&json!({}), &self.finish));
        if self.wants_usage {
            let mut last = self.document("chat.completion.chunk", &json!([]));
            last["usage"] = self.usage.clone();
            out.push(Event::data(&last));
        }
        out.push(Event(Bytes::from_static(b"data: [DONE]\n\n")));
    }

    fn error(&mut self, kind: Option<&str>, message: &str, out: &mut Vec<Event>) {
        out.push(Event::data(&openai::error(500, kind, message)));
    }

    fn malformed(&self) -> Event {
        Event(Bytes::from_static(b"data: {\"choices\":[{\"del\n\n"))
    }

    fn message(&self) -> Value {
        let mut message = json!({ "role": "assistant", "content": self.content, "refusal": null });
        if !self.reasoning.is_empty() {
            message["reasoning_content"] = json!(self.reasoning);
        }
        if !self.calls.is_empty() {
            message["tool_calls"] = json!(self.calls);
        }
        let choices =
            json!([{ "index": 0, "message": message, "logprobs": null, "finish_reason": self.finish }]);
        let mut document = self.document("chat.completion", &choices);
        document["usage"] = self.usage.clone();
        document
    }
}
