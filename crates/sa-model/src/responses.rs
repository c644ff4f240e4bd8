//! The OpenAI Responses API: its events. Requests are read in [`crate::responses_request`].

use crate::conversation::{call_id, unique};
use crate::dialect::{Dialect, Event, Tokens, pieces};
use crate::direct::Kind;
use crate::openai;
use crate::tools::{Call, Input};
use serde_json::{Value, json};

/// An answer while it is sent.
pub(crate) struct Responses {
    response: Value,
    output: Vec<Value>,
    /// The id of the text that is open.
    open: String,
    sequence: u64,
}

impl Responses {
    pub(crate) fn new(model: &str) -> Self {
        let response = json!({
            "id": format!("resp_{}", unique()), "object": "response", "created_at": openai::now(), "model": model,
            "status": "in_progress", "output": [], "error": null, "incomplete_details": null, "usage": null,
            "parallel_tool_calls": true, "tool_choice": "auto", "store": false,
        });
        Self { response, output: Vec::new(), open: String::new(), sequence: 0 }
    }

    fn push(&mut self, name: &str, mut data: Value, out: &mut Vec<Event>) {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        out.push(Event::named(name, &data));
    }

    /// Adds an event of the current item.
    fn push_item(&mut self, name: &str, item_id: &str, mut data: Value, out: &mut Vec<Event>) {
        data["item_id"] = json!(item_id);
        data["output_index"] = json!(self.output.len());
        self.push(name, data, out);
    }

    fn add(&mut self, item: &Value, out: &mut Vec<Event>) {
        let data = json!({ "output_index": self.output.len(), "item": item });
        self.push("response.output_item.added", data, out);
    }

    fn done(&mut self, item: Value, out: &mut Vec<Event>) {
        let data = json!({ "output_index": self.output.len(), "item": item });
        self.push("response.output_item.done", data, out);
        self.output.push(item);
    }

    fn finish(&mut self, name: &str, status: &str, out: &mut Vec<Event>) {
        self.response["status"] = json!(status);
        self.response["output"] = Value::Array(self.output.clone());
        self.push(name, json!({ "response": self.response }), out);
    }

    fn close_message(&mut self, id: &str, text: &str, out: &mut Vec<Event>) {
        let part = json!({ "type": "output_text", "text": text, "annotations": [] });
        let done = json!({ "content_index": 0, "text": text });
        self.push_item("response.output_text.done", id, done, out);
        self.push_item("response.content_part.done", id, json!({ "content_index": 0, "part": part }), out);
        let item = json!({ "type": "message", "id": id, "role": "assistant", "status": "completed", "content": [part] });
        self.done(item, out);
    }

    fn close_reasoning(&mut self, id: &str, text: &str, out: &mut Vec<Event>) {
        let part = json!({ "type": "summary_text", "text": text });
        let done = json!({ "summary_index": 0, "text": text });
        self.push_item("response.reasoning_summary_text.done", id, done, out);
        let done = json!({ "summary_index": 0, "part": part });
        self.push_item("response.reasoning_summary_part.done", id, done, out);
        let secret = format!("c2NyaXB0ZWQ{}", unique());
        self.done(
            json!({ "type": "reasoning", "id": id, "summary": [part], "encrypted_content": secret }),
            out,
        );
    }
}

impl Dialect for Responses {
    fn begin(&mut self, _tokens: &Tokens, out: &mut Vec<Event>) {
        for name in ["response.created", "response.in_progress"] {
            self.push(name, json!({ "response": self.response }), out);
        }
    }

    fn open(&mut self, kind: Kind, out: &mut Vec<Event>) {
        let prefix = if kind == Kind::Say { "msg" } else { "rs" };
        let id = format!("{prefix}_{}", unique());
        let (item, event, data) = match kind {
            Kind::Say => (
                json!({ "type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": [] }),
                "response.content_part.added",
                json!({ "content_index": 0, "part": { "type": "output_text", "text": "", "annotations": [] } }),
            ),
            Kind::Think => (
                json!({ "type": "reasoning", "id": id, "summary": [] }),
                "response.reasoning_summary_part.added",
                json!({ "summary_index": 0, "part": { "type": "summary_text", "text": "" } }),
            ),
        };
        self.add(&item, out);
        self.push_item(event, &id, data, out);
        self.open = id;
    }

    fn delta(&mut self, kind: Kind, piece: &str, out: &mut Vec<Event>) {
        let id = self.open.clone();
        let (event, index) = match kind {
            Kind::Say => ("response.output_text.delta", "content_index"),
            Kind::Think => ("response.reasoning_summary_text.delta", "summary_index"),
        };
        self.push_item(event, &id, json!({ index: 0, "delta": piece }), out);
    }

    fn close(&mut self, kind: Kind, text: &str, out: &mut Vec<Event>) {
        let id = std::mem::take(&mut self.open);
        match kind {
            Kind::Say => self.close_message(&id, text, out),
            Kind::Think => self.close_reasoning(&id, text, out),
        }
    }

    fn call(&mut self, call: &Call, step: usize, out: &mut Vec<Event>) {
        let (kind, prefix, event, field) = match &call.input {
            Input::Object(_) => ("function_call", "fc", "response.function_call_arguments", "arguments"),
            Input::Text(_) => ("custom_tool_call", "ctc", "response.custom_tool_call_input", "input"),
        };
        let id = format!("{prefix}_{}", unique());
        let mut item = json!({
            "type": kind, "id": id, "call_id": call_id("call", step), "name": call.name, "status": "in_progress",
            field: "",
        });
        if let Some(namespace) = &call.namespace {
            item["namespace"] = json!(namespace);
        }
        self.add(&item, out);
        let input = call.input.clone().into_text();
        for piece in pieces(&input, 24) {
            self.push_item(&format!("{event}.delta"), &id, json!({ "delta": piece }), out);
        }
        self.push_item(&format!("{event}.done"), &id, json!({ field: input }), out);
        item[field] = json!(input);
        item["status"] = json!("completed");
        self.done(item, out);
    }

    fn compaction(&mut self, out: &mut Vec<Event>) {
        let (id, secret) = (format!("cmp_{}", unique()), format!("c2NyaXB0ZWQ{}", unique()));
        let item = json!({ "type": "compaction", "id": id, "encrypted_content": secret });
        self.add(&item, out);
        self.done(item, out);
    }

    fn end(&mut self, stop: &str, tokens: &Tokens, out: &mut Vec<Event>) {
        self.response["usage"] = openai::usage(tokens, "input", "output");
        let reason = match stop {
            "end_turn" | "tool_use" | "stop_sequence" => {
                return self.finish("response.completed", "completed", out);
            }
            "max_tokens" => "max_output_tokens",
            "refusal" => "content_filter",
            other => other,
        };
        self.response["incomplete_details"] = json!({ "reason": reason });
        self.finish("response.incomplete", "incomplete", out);
    }

    fn error(&mut self, kind: Option<&str>, message: &str, out: &mut Vec<Event>) {
        self.response["error"] = json!({ "code": kind.unwrap_or("server_error"), "message": message });
        self.finish("response.failed", "failed", out);
    }

    fn malformed(&self) -> Event {
        Event::garbled("response.output_text.delta")
    }

    fn message(&self) -> Value {
        self.response.clone()
    }
}
