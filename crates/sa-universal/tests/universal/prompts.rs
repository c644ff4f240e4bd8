//! Messages for agents, and the ends of turns.

use crate::schema::check;
use sa_api::sessions::{Diff, FileSource, MessagePart, StopReason};
use sa_universal::{PromptCapabilities, prompt, stop_reason};
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

const ALL: PromptCapabilities = PromptCapabilities { image: true, audio: true, embedded_context: true };
const NONE: PromptCapabilities = PromptCapabilities { image: false, audio: false, embedded_context: false };

fn text(text: &str) -> MessagePart {
    MessagePart::Text { text: text.to_owned() }
}

fn file(path: Option<&str>, source: Option<FileSource>) -> MessagePart {
    let path = path.map(str::to_owned);
    MessagePart::File {
        name: None,
        path,
        source,
        mime_type: Some("text/x-rust".to_owned()),
        diff: None,
        extra: Map::new(),
    }
}

fn image(source: FileSource) -> MessagePart {
    MessagePart::Image { source, mime_type: "image/png".to_owned(), alt: None, extra: Map::new() }
}

fn sent(part: MessagePart, can: PromptCapabilities) -> Result<Value, String> {
    let blocks = prompt(&[text("Look"), part], &can).map_err(|error| error.to_string())?;
    blocks.iter().for_each(|block| check("ContentBlock", block));
    Ok(blocks[1].clone())
}

#[test]
fn files_are_embedded_or_linked_to() {
    let source = FileSource::Text { text: "fn main() {}".to_owned() };
    let embedded = json!({ "type": "resource", "resource": { "uri": "file:///a%20b.rs", "text": "fn main() {}", "mimeType": "text/x-rust" } });
    let linked = json!({ "type": "resource_link", "name": "a b.rs", "uri": "file:///a%20b.rs", "mimeType": "text/x-rust" });
    assert_eq!(sent(file(Some("/a b.rs"), Some(source.clone())), ALL), Ok(embedded));
    assert_eq!(sent(file(Some("/a b.rs"), Some(source.clone())), NONE), Ok(linked.clone()));
    assert_eq!(sent(file(Some("/a b.rs"), None), NONE), Ok(linked));
    let refused = "part 2: the agent takes no content of files, and this one has no path to link to";
    assert_eq!(sent(file(None, Some(source)), NONE), Err(refused.to_owned()));
    assert_eq!(
        sent(file(None, None), ALL),
        Err("part 2: a file needs a path, an address or content".to_owned())
    );
}

#[test]
fn images_are_sent_to_agents_that_take_them() {
    let data = || FileSource::Base64 { data: "aGk=".to_owned() };
    assert_eq!(
        sent(image(data()), ALL),
        Ok(json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" }))
    );
    assert_eq!(sent(image(data()), NONE), Err("part 2: the agent takes no images".to_owned()));
    let address = FileSource::Uri { uri: "https://example.org/a.png".to_owned() };
    let linked = json!({ "type": "resource_link", "name": "a.png", "uri": "https://example.org/a.png", "mimeType": "image/png" });
    assert_eq!(sent(image(address), NONE), Ok(linked));
}

#[test]
fn what_no_client_can_say_is_refused() {
    let diff = Diff { old_text: None, new_text: "x".to_owned() };
    let change = MessagePart::File {
        name: None,
        path: Some("/a".to_owned()),
        source: None,
        mime_type: None,
        diff: Some(diff),
        extra: Map::new(),
    };
    assert_eq!(sent(change, ALL), Err("part 2: a message cannot contain the change of a file".to_owned()));
    let thought = MessagePart::Reasoning { text: "Hm".to_owned() };
    assert_eq!(
        sent(thought, ALL),
        Err("part 2: only text, files and images can be sent to an agent".to_owned())
    );
}

#[test]
fn an_agent_says_what_it_takes() {
    let said = json!({ "protocolVersion": 1, "agentCapabilities": { "promptCapabilities": { "image": true, "embeddedContext": "odd" } } });
    let can = PromptCapabilities::of(&to_raw_value(&said).unwrap());
    assert_eq!(can, PromptCapabilities { image: true, ..NONE });
    assert_eq!(PromptCapabilities::of(&to_raw_value(&json!(null)).unwrap()), NONE);
}

#[test]
fn turns_end_for_a_reason() {
    let end = |value: Value| stop_reason(&to_raw_value(&value).unwrap());
    let words = [
        ("end_turn", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxTokens),
        ("max_turn_requests", StopReason::MaxTurnRequests),
        ("refusal", StopReason::Refusal),
        ("cancelled", StopReason::Cancelled),
        ("new_word", StopReason::Unknown),
    ];
    for (word, reason) in words {
        assert_eq!(end(json!({ "stopReason": word })), (reason, None));
    }
    assert_eq!(end(json!(null)), (StopReason::Unknown, None));
    let usage = json!({ "totalTokens": 9, "inputTokens": 4, "outputTokens": 3.0, "thoughtTokens": 2, "cachedReadTokens": null });
    let usage = end(json!({ "stopReason": "end_turn", "usage": usage })).1.unwrap();
    assert_eq!(
        (usage.tokens.total_tokens, usage.tokens.input_tokens, usage.tokens.output_tokens),
        (Some(9), Some(4), Some(3))
    );
    assert_eq!(
        (usage.tokens.thought_tokens, usage.tokens.cached_read_tokens, usage.tokens.cached_write_tokens),
        (Some(2), None, None)
    );
}
