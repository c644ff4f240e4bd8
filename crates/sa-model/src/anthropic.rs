//! The Anthropic Messages API.

use crate::conversation::{
    Conversation, Form, Offer, Said, call_id, list_of, media_type, text_of, texts_of, unique,
};
use crate::dialect::{Dialect, Event, Tokens, json_input, pieces};
use crate::direct::Kind;
use crate::tools::Call;
use serde_json::{Value, json};

/// Reads a request of `POST /v1/messages`.
pub(crate) fn read(body: &Value) -> Conversation {
    let mut conversation = Conversation {
        model: text_of(body, "model").unwrap_or_default().to_owned(),
        tools: list_of(body, "tools").iter().filter_map(offer).collect(),
        effort: body.pointer("/output_config/effort").and_then(Value::as_str).map(str::to_owned),
        thinking: body.get("thinking").map(Value::to_string),
        schema: schema(body),
        max_tokens: body.get("max_tokens").and_then(Value::as_u64),
        stream: body.get("stream").and_then(Value::as_bool).unwrap_or(false),
        ..Conversation::default()
    };
    texts_of(body.get("system")).into_iter().for_each(|text| conversation.instruct(text));
    for message in list_of(body, "messages") {
        let texts = texts_of(message.get("content"));
        match text_of(message, "role") {
            Some("assistant") => {
                let call = list_of(message, "content").iter().find_map(|block| text_of(block, "id"));
                conversation.assistant(call);
            }
            Some("system") => texts.into_iter().for_each(|text| conversation.instruct(text)),
            _ => conversation.user(said(texts, list_of(message, "content"))),
        }
    }
    conversation
}

fn schema(body: &Value) -> Option<Value> {
    let format = body.pointer("/output_config/format").or_else(|| body.get("output_format"))?;
    format.get("schema").cloned()
}

fn offer(tool: &Value) -> Option<Offer> {
    Some(Offer::new(text_of(tool, "name")?, Form::Function, tool.get("input_schema")))
}

fn said(texts: Vec<&str>, blocks: &[Value]) -> Said {
    let mut said = Said::prompt(texts);
    for block in blocks {
        match text_of(block, "type") {
            Some("image") => said.images.push(image(block)),
            Some("tool_result") => {
                said.results.push(texts_of(block.get("content")).join("\n"));
                let inner = list_of(block, "content").iter();
                said.images.extend(inner.filter(|part| text_of(part, "type") == Some("image")).map(image));
            }
            _ => {}
        }
    }
    said
}

fn image(block: &Value) -> String {
    let source = block.get("source").unwrap_or(&Value::Null);
    let told = text_of(source, "media_type").map(str::to_owned);
    told.unwrap_or_else(|| media_type(text_of(source, "url").unwrap_or_default()))
}

/// The body of an error answer.
pub(crate) fn error(status: u16, kind: Option<&str>, message: &str) -> Value {
    let usual = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    let error = json!({ "type": kind.unwrap_or(usual), "message": message });
    json!({ "type": "error", "error": error, "request_id": format!("req_{}", unique()) })
}

/// An answer while it is sent.
pub(crate) struct Messages {
    message: Value,
    content: Vec<Value>,
}

impl Messages {
    pub(crate) fn new(model: &str) -> Self {
        let message = json!({
            "id": format!("msg_{}", unique()), "type": "message", "role": "assistant", "model": model,
            "content": [], "stop_reason": null, "stop_sequence": null,
        });
        Self { message, content: Vec::new() }
    }

    fn start_block(&self, block: &Value, out: &mut Vec<Event>) {
        let index = self.content.len();
        let data = json!({ "type": "content_block_start", "index": index, "content_block": block });
        out.push(Event::named("content_block_start", &data));
        if index == 0 {
            out.push(Event::named("ping", &json!({ "type": "ping" })));
        }
    }

    fn delta_event(&self, delta: &Value) -> Event {
        let data = json!({ "type": "content_block_delta", "index": self.content.len(), "delta": delta });
        Event::named("content_block_delta", &data)
    }

    fn stop_block(&mut self, block: Value, out: &mut Vec<Event>) {
        let data = json!({ "type": "content_block_stop", "index": self.content.len() });
        out.push(Event::named("content_block_stop", &data));
        self.content.push(block);
    }
}

fn usage(tokens: &Tokens) -> Value {
    json!({
        "input_tokens": tokens.input,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cache_read,
        "output_tokens": tokens.output,
    })
}

impl Dialect for Messages {
    fn begin(&mut self, tokens: &Tokens, out: &mut Vec<Event>) {
        self.message["usage"] = usage(tokens);
        out.push(Event::named("message_start", &json!({ "type": "message_start", "message": self.message })));
    }

    fn open(&mut self, kind: Kind, out: &mut Vec<Event>) {
        let block = match kind {
            Kind::Say => json!({ "type": "text", "text": "" }),
            Kind::Think => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        };
        self.start_block(&block, out);
    }

    fn delta(&mut self, kind: Kind, piece: &str, out: &mut Vec<Event>) {
        let delta = match kind {
            Kind::Say => json!({ "type": "text_delta", "text": piece }),
            Kind::Think => json!({ "type": "thinking_delta", "thinking": piece }),
        };
        out.push(self.delta_event(&delta));
    }

    fn close(&mut self, kind: Kind, text: &str, out: &mut Vec<Event>) {
        let block = match kind {
            Kind::Say => json!({ "type": "text", "text": text }),
            Kind::Think => {
                let signature = format!("c2NyaXB0ZWQ{}", unique());
                out.push(self.delta_event(&json!({ "type": "signature_delta", "signature": signature })));
                json!({ "type": "thinking", "thinking": text, "signature": signature })
            }
        };
        self.stop_block(block, out);
    }

    fn call(&mut self, call: &Call, step: usize, out: &mut Vec<Event>) {
        let mut block =
            json!({ "type": "tool_use", "id": call_id("toolu", step), "name": call.name, "input": {} });
        self.start_block(&block, out);
        let input = json_input(&call.input);
        out.push(self.delta_event(&json!({ "type": "input_json_delta", "partial_json": "" })));
        for piece in pieces(&input.to_string(), 24) {
            out.push(self.delta_event(&json!({ "type": "input_json_delta", "partial_json": piece })));
        }
        block["input"] = input;
        self.stop_block(block, out);
    }

    fn end(&mut self, stop: &str, tokens: &Tokens, out: &mut Vec<Event>) {
        self.message["stop_reason"] = json!(stop);
        self.message["usage"] = usage(tokens);
        let delta = json!({ "stop_reason": stop, "stop_sequence": null });
        let data = json!({ "type": "message_delta", "delta": delta, "usage": usage(tokens) });
        out.push(Event::named("message_delta", &data));
        out.push(Event::named("message_stop", &json!({ "type": "message_stop" })));
    }

    fn error(&mut self, kind: Option<&str>, message: &str, out: &mut Vec<Event>) {
        let kind = kind.unwrap_or("overloaded_error");
        out.push(Event::named("error", &error(529, Some(kind), message)));
    }

    fn malformed(&self) -> Event {
        Event::garbled("content_block_delta")
    }

    fn message(&self) -> Value {
        let mut message = self.message.clone();
        message["content"] = Value::Array(self.content.clone());
        message
    }
}
