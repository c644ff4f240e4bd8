//! `${NAME}` in what a script says and in the inputs of its tools. An unknown name stays as it is written.

use crate::conversation::{Conversation, Turn};
use crate::prompt::Prompt;
use serde_json::Value;
use std::borrow::Cow;

/// The values of the variables of one request.
pub(crate) struct Variables<'a> {
    conversation: &'a Conversation,
    prompt: &'a Prompt<'a>,
}

/// The marks of the directory in an agent's messages: the words before it, in lower case, and the character that ends
/// it.
const DIRECTORY_MARKS: [(&str, char); 6] = [
    ("<cwd>", '<'),
    ("working directory: ", '\n'),
    ("working directory is: ", '\n'),
    ("working in the directory: ", '\n'),
    ("workspace directories:**\n  - ", '\n'),
    ("workspace root folder: ", '\n'),
];

impl<'a> Variables<'a> {
    pub(crate) fn new(conversation: &'a Conversation, prompt: &'a Prompt<'a>) -> Self {
        Self { conversation, prompt }
    }

    /// The text with every known variable replaced.
    pub(crate) fn expand(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let known = after.split_once('}').and_then(|(name, behind)| Some((self.value(name)?, behind)));
            let (value, behind) = known.unwrap_or_else(|| ("${".to_owned(), after));
            out.push_str(&value);
            rest = behind;
        }
        out.push_str(rest);
        out
    }

    /// The value with every text in it expanded.
    pub(crate) fn expand_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.expand(text)),
            Value::Array(items) => items.iter().map(|item| self.expand_value(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), self.expand_value(value))).collect()
            }
            other => other.clone(),
        }
    }

    fn value(&self, name: &str) -> Option<String> {
        let conversation = self.conversation;
        if let Some(wanted) = name.strip_prefix("SYSTEM_CONTAINS:") {
            let is_there = self.surroundings().any(|text| text.contains(wanted));
            return Some(if is_there { "yes" } else { "no" }.to_owned());
        }
        Some(match name {
            "CWD" => self.directory()?,
            "MODEL" => conversation.model.clone(),
            "EFFORT" => conversation.effort.clone().unwrap_or_else(|| "none".to_owned()),
            "THINKING" => conversation.thinking.clone().unwrap_or_else(|| "none".to_owned()),
            "LAST_TOOL_RESULT" => {
                self.prompt.since.iter().rev().find_map(|said| said.results.last())?.clone()
            }
            "IMAGES" => self.images(),
            "TOOLS" => {
                conversation.tools.iter().map(|offer| offer.name.as_str()).collect::<Vec<_>>().join(" ")
            }
            "TURNS" => {
                let turns = conversation.turns.iter();
                turns.filter(|turn| matches!(turn, Turn::Assistant { .. })).count().to_string()
            }
            "PLAN_FILE" => self.plan_file()?,
            _ => return None,
        })
    }

    /// Everything that surrounds the prompt: instructions, and what else came from the user's side.
    fn surroundings(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let prompt = self.prompt.text.as_str();
        let texts = self.conversation.user_texts().map(move |text| Cow::Owned(text.replace(prompt, "")));
        std::iter::once(Cow::Borrowed(self.conversation.system.as_str())).chain(texts)
    }

    fn directory(&self) -> Option<String> {
        self.surroundings().find_map(|text| {
            // Lower case of ASCII alone keeps every position.
            let lower = text.to_ascii_lowercase();
            DIRECTORY_MARKS.iter().find_map(|(mark, end)| {
                let at = lower.find(mark)? + mark.len();
                let directory = text.get(at..)?.split([*end, '\n']).next()?.trim();
                directory.starts_with('/').then(|| directory.to_owned())
            })
        })
    }

    fn images(&self) -> String {
        let types: Vec<&str> =
            self.prompt.since.iter().flat_map(|said| &said.images).map(String::as_str).collect();
        format!("{} {}", types.len(), types.join(" ")).trim_end().to_owned()
    }

    /// Returns the file in which an agent in plan mode wants its plan.
    fn plan_file(&self) -> Option<String> {
        let named = |text: Cow<'_, str>| {
            let words = text.split(|c: char| c.is_whitespace() || "`'\"()".contains(c));
            let mut paths = words.map(|word| word.trim_end_matches(['.', ',', ';', ':']));
            let plan =
                |path: &&str| path.starts_with('/') && path.contains("/plans/") && path.ends_with(".md");
            paths.rfind(plan).map(str::to_owned)
        };
        self.surroundings().filter_map(named).last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Form, Offer, Said};
    use crate::prompt;
    use serde_json::json;

    fn conversation() -> Conversation {
        let mut conversation = Conversation {
            model: "m-1".to_owned(),
            effort: Some("high".to_owned()),
            tools: vec![Offer {
                name: "Bash".into(),
                namespace: None,
                form: Form::Function,
                schema: Value::Null,
            }],
            ..Conversation::default()
        };
        conversation
            .instruct("Be brief.\n - Primary working directory: /home/a b\nWrite to `/h/plans/x.md`.");
        let said = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let images = vec!["image/png".to_owned(), "image/jpeg".to_owned()];
        conversation.user(Said { texts: said(&["say: ${CWD} secret"]), images, results: vec![] });
        conversation.assistant(None);
        conversation.user(Said { results: said(&["one", "two"]), ..Said::default() });
        conversation
    }

    fn expanded(text: &str) -> String {
        let conversation = conversation();
        let prompt = prompt::find(&conversation).unwrap();
        Variables::new(&conversation, &prompt).expand(text)
    }

    #[test]
    fn names_stand_for_what_the_request_says() {
        assert_eq!(expanded("in ${CWD}/x with ${MODEL} at ${EFFORT}"), "in /home/a b/x with m-1 at high");
        assert_eq!(
            expanded("${LAST_TOOL_RESULT}|${IMAGES}|${TOOLS}|${TURNS}"),
            "two|2 image/png image/jpeg|Bash|1"
        );
        assert_eq!(expanded("${PLAN_FILE}"), "/h/plans/x.md");
    }

    #[test]
    fn the_system_contains_what_surrounds_the_prompt_but_not_the_prompt() {
        assert_eq!(expanded("${SYSTEM_CONTAINS:brief} ${SYSTEM_CONTAINS:secret}"), "yes no");
    }

    #[test]
    fn what_is_unknown_stays() {
        for text in ["${HOME} ${", "${", "$", "}${X}", "a${b"] {
            assert_eq!(expanded(text), text);
        }
        assert_eq!(expanded("${${MODEL}"), "${m-1");
    }

    #[test]
    fn values_are_expanded_at_any_depth() {
        let conversation = conversation();
        let prompt = prompt::find(&conversation).unwrap();
        let value = json!({"a": ["${MODEL}", 1, {"b": "\"${CWD}\""}], "${MODEL}": null});
        let expected = json!({"a": ["m-1", 1, {"b": "\"/home/a b\""}], "${MODEL}": null});
        assert_eq!(Variables::new(&conversation, &prompt).expand_value(&value), expected);
    }
}
