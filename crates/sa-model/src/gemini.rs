//! The Gemini API, `generateContent` and `streamGenerateContent`.

use crate::conversation::{Conversation, Form, Offer, Said, call_id, list_of, text_of, unique};
use crate::dialect::{Dialect, Event, Tokens, json_input};
use crate::direct::Kind;
use crate::tools::Call;
use bytes::Bytes;
use serde_json::{Value, json};

/// Reads a request of `POST /v1beta/models/{model}:{method}`; model and method are in the path alone.
pub(crate) fn read(path: &str, body: &Value) -> Conversation {
    let (model, method) = path.rsplit('/').next().and_then(|last| last.split_once(':')).unwrap_or_default();
    let config = body.get("generationConfig").unwrap_or(&Value::Null);
    let schema = ["responseJsonSchema", "responseSchema"].into_iter().find_map(|name| config.get(name));
    let thinking = config.get("thinkingConfig");
    let mut conversation = Conversation {
        model: model.to_owned(),
        tools: list_of(body, "tools").iter().flat_map(offers).collect(),
        effort: thinking.and_then(|thinking| text_of(thinking, "thinkingLevel")).map(str::to_owned),
        thinking: thinking.map(Value::to_string),
        schema: schema.cloned(),
        max_tokens: config.get("maxOutputTokens").and_then(Value::as_u64),
        stream: method == "streamGenerateContent",
        ..Conversation::default()
    };
    let instruction = body.get("systemInstruction").unwrap_or(&Value::Null);
    for text in list_of(instruction, "parts").iter().filter_map(|part| text_of(part, "text")) {
        conversation.instruct(text);
    }
    for content in list_of(body, "contents") {
        let parts = list_of(content, "parts");
        if text_of(content, "role") == Some("model") {
            let call = parts.iter().find_map(|part| part.pointer("/functionCall/id").and_then(Value::as_str));
            conversation.assistant(call);
        } else {
            conversation.user(said(parts));
        }
    }
    conversation
}

fn offers(tool: &Value) -> Vec<Offer> {
    let offer = |function: &Value| {
        let schema = function.get("parametersJsonSchema").or_else(|| function.get("parameters"));
        Some(Offer::new(text_of(function, "name")?, Form::Function, schema))
    };
    list_of(tool, "functionDeclarations").iter().filter_map(offer).collect()
}

fn said(parts: &[Value]) -> Said {
    let mut said = Said::default();
    for part in parts {
        if let Some(text) = text_of(part, "text") {
            said.texts.push(text.to_owned());
        } else if let Some(data) = part.get("inlineData").or_else(|| part.get("fileData")) {
            said.images.push(text_of(data, "mimeType").unwrap_or("image").to_owned());
        } else if let Some(response) = part.pointer("/functionResponse/response") {
            let text =
                ["output", "content", "result", "error"].into_iter().find_map(|name| text_of(response, name));
            said.results.push(text.map_or_else(|| response.to_string(), str::to_owned));
        }
    }
    said
}

/// The body of an error answer.
pub(crate) fn error(status: u16, kind: Option<&str>, message: &str) -> Value {
    let usual = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 | 529 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    json!({ "error": { "code": status, "message": message, "status": kind.unwrap_or(usual) } })
}

/// An answer while it is sent.
pub(crate) struct Gemini {
    id: String,
    model: String,
    parts: Vec<Value>,
    finish: Value,
    usage: Value,
}

impl Gemini {
    pub(crate) fn new(model: &str) -> Self {
        Self {
            id: unique(),
            model: model.to_owned(),
            parts: Vec::new(),
            finish: Value::Null,
            usage: Value::Null,
        }
    }

    fn document(&self, parts: &[Value], finish: &Value) -> Value {
        let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
        if !finish.is_null() {
            candidate["finishReason"] = finish.clone();
        }
        json!({
            "candidates": [candidate], "usageMetadata": self.usage, "modelVersion": self.model, "responseId": self.id,
        })
    }

    fn event(&self, parts: &[Value], finish: &Value) -> Event {
        framed(&self.document(parts, finish))
    }
}

/// Gemini ends its lines as the web's elders did.
fn framed(data: &Value) -> Event {
    Event(Bytes::from(format!("data: {data}\r\n\r\n")))
}

fn text_part(kind: Kind, text: &str) -> Value {
    match kind {
        Kind::Say => json!({ "text": text }),
        Kind::Think => json!({ "text": text, "thought": true }),
    }
}

fn usage(tokens: &Tokens) -> Value {
    json!({
        "promptTokenCount": tokens.prompt(),
        "cachedContentTokenCount": tokens.cache_read,
        "candidatesTokenCount": tokens.output.saturating_sub(tokens.reasoning),
        "thoughtsTokenCount": tokens.reasoning,
        "totalTokenCount": tokens.prompt() + tokens.output,
    })
}

impl Dialect for Gemini {
    fn begin(&mut self, tokens: &Tokens, _out: &mut Vec<Event>) {
        self.usage = json!({ "promptTokenCount": tokens.prompt(), "totalTokenCount": tokens.prompt() });
    }

    fn delta(&mut self, kind: Kind, piece: &str, out: &mut Vec<Event>) {
        out.push(self.event(&[text_part(kind, piece)], &Value::Null));
    }

    fn close(&mut self, kind: Kind, text: &str, _out: &mut Vec<Event>) {
        self.parts.push(text_part(kind, text));
    }

    fn call(&mut self, call: &Call, step: usize, out: &mut Vec<Event>) {
        let function =
            json!({ "id": call_id("call", step), "name": call.name, "args": json_input(&call.input) });
        let part =
            json!({ "functionCall": function, "thoughtSignature": format!("c2NyaXB0ZWQ{}", unique()) });
        out.push(self.event(std::slice::from_ref(&part), &Value::Null));
        self.parts.push(part);
    }

    fn end(&mut self, stop: &str, tokens: &Tokens, out: &mut Vec<Event>) {
        self.finish = json!(match stop {
            "end_turn" | "tool_use" | "stop_sequence" => "STOP",
            "max_tokens" => "MAX_TOKENS",
            "refusal" => "SAFETY",
            other => other,
        });
        self.usage = usage(tokens);
        out.push(self.event(&[json!({ "text": "" })], &self.finish));
    }

    fn error(&mut self, kind: Option<&str>, message: &str, out: &mut Vec<Event>) {
        out.push(framed(&error(503, kind, message)));
    }

    fn malformed(&self) -> Event {
        Event(Bytes::from_static(b"data: {\"candidates\":[{\"con\r\n\r\n"))
    }

    fn message(&self) -> Value {
        self.document(&self.parts, &self.finish)
    }
}
