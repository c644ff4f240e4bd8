//! Permissions and questions, decided with single keys.

mod field;

pub use field::Field;

use crate::editor::{Edit, Editor};
use crate::keys::Key;
use crate::style::{Color, Line, Style};
use field::Answer;
use sa_api::sessions::{PermissionReplyKind, PermissionRequest, QuestionRequest};

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Permission {
        reply: PermissionReplyKind,
        /// The reason of a rejection, which the agent reads.
        reason: Option<String>,
    },
    /// Answers to all questions.
    Answers(Vec<Vec<String>>),
    /// The questions are rejected.
    Reject,
}

/// A request that waits for a person.
#[derive(Debug)]
pub enum Dialog {
    /// A permission, and the reason of its rejection while that is typed.
    Permission { request: PermissionRequest, reason: Option<Editor> },
    /// Questions, and the answers so far.
    Questions {
        request: QuestionRequest,
        /// The answers to the first questions.
        answers: Vec<Vec<String>>,
        /// The answer to the next one.
        field: Field,
    },
}

impl Dialog {
    /// Asks for a permission.
    pub fn permission(request: PermissionRequest) -> Self {
        Self::Permission { request, reason: None }
    }

    /// Asks questions.
    pub fn questions(request: QuestionRequest) -> Self {
        let field = request.questions.first().map_or(Field::Choice(Vec::new()), Field::of);
        Self::Questions { request, answers: Vec::new(), field }
    }

    /// Asks again from the beginning.
    pub fn restart(&mut self) {
        *self = match self {
            Self::Permission { request, .. } => Self::permission(request.clone()),
            Self::Questions { request, .. } => Self::questions(request.clone()),
        };
    }

    /// Id of the request.
    pub fn id(&self) -> &str {
        match self {
            Self::Permission { request, .. } => &request.id,
            Self::Questions { request, .. } => &request.id,
        }
    }

    /// Handles a key.
    pub fn on_key(&mut self, key: Key) -> Option<Decision> {
        match self {
            Self::Permission { request, reason } => on_permission_key(request, reason, key),
            Self::Questions { request, answers, field } => {
                if let Some(question) = request.questions.get(answers.len()) {
                    match field.on_key(question, key) {
                        Answer::Open => return None,
                        Answer::Rejected => return Some(Decision::Reject),
                        Answer::Given(answer) => answers.push(answer),
                    }
                }
                let Some(next) = request.questions.get(answers.len()) else {
                    return Some(Decision::Answers(std::mem::take(answers)));
                };
                *field = Field::of(next);
                None
            }
        }
    }

    /// Draws the choices. Returns the lines and, while text is typed, the cursor.
    pub fn draw(&self, width: usize) -> (Vec<Line>, Option<(usize, usize)>) {
        match self {
            Self::Permission { reason: Some(editor), .. } => {
                let (lines, cursor) =
                    editor.draw(&Line::styled("  reason: ", Style::of(Color::Yellow)), width);
                (lines, Some(cursor))
            }
            Self::Permission { request, .. } => {
                let mut keys = vec![("y", "yes")];
                if has_reply(request, PermissionReplyKind::Always) {
                    keys.push(("a", "always"));
                }
                keys.extend([("n", "no"), ("r", "no, and say why")]);
                (vec![hints(&keys).fit(width)], None)
            }
            Self::Questions { request, answers, field } => match request.questions.get(answers.len()) {
                Some(question) => field.draw(question, width),
                None => (vec![hints(&[("Enter", "continue")])], None),
            },
        }
    }
}

fn has_reply(request: &PermissionRequest, reply: PermissionReplyKind) -> bool {
    request.options.is_empty() || request.options.iter().any(|option| option.reply == reply)
}

fn on_permission_key(request: &PermissionRequest, reason: &mut Option<Editor>, key: Key) -> Option<Decision> {
    if let Some(editor) = reason {
        match editor.on_key(key) {
            Edit::Submit(text) => {
                let text = text.trim().to_owned();
                return Some(Decision::Permission {
                    reply: PermissionReplyKind::Reject,
                    reason: (!text.is_empty()).then_some(text),
                });
            }
            Edit::Escape => *reason = None,
            _ => {}
        }
        return None;
    }
    let reply = match key {
        Key::Char('y' | 'Y') => PermissionReplyKind::Once,
        Key::Char('a' | 'A') if has_reply(request, PermissionReplyKind::Always) => {
            PermissionReplyKind::Always
        }
        Key::Char('n' | 'N') => PermissionReplyKind::Reject,
        Key::Char('r' | 'R') => {
            *reason = Some(Editor::default());
            return None;
        }
        _ => return None,
    };
    Some(Decision::Permission { reply, reason: None })
}

fn hints(keys: &[(&str, &str)]) -> Line {
    let mut line = Line::plain("  ");
    for (index, (key, meaning)) in keys.iter().enumerate() {
        if index > 0 {
            line = line.with(" · ", Style::DIM);
        }
        line = line.with(key, Style::of(Color::Yellow)).with(&format!(" {meaning}"), Style::DIM);
    }
    line
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::keys::KeyDecoder;
    use serde_json::{Value, json};

    fn press(dialog: &mut Dialog, keys: &str) -> Vec<Decision> {
        let keys = KeyDecoder::default().push(keys.as_bytes());
        keys.into_iter().filter_map(|key| dialog.on_key(key)).collect()
    }

    fn permission(replies: &[&str]) -> Dialog {
        let options: Vec<Value> =
            replies.iter().map(|reply| json!({ "id": reply, "name": reply, "reply": reply })).collect();
        let request = json!({
            "id": "p", "toolCallId": "t", "title": "Edit a.txt", "kind": "edit", "options": options,
        });
        Dialog::permission(serde_json::from_value(request).unwrap())
    }

    fn questions(questions: Value) -> Dialog {
        Dialog::questions(serde_json::from_value(json!({ "id": "q", "questions": questions })).unwrap())
    }

    fn text(dialog: &Dialog) -> String {
        dialog.draw(80).0.iter().map(Line::text).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_permission_is_one_key_and_nothing_else() {
        let all = ["once", "always", "reject"];
        let reply = |reply| Decision::Permission { reply, reason: None };
        assert_eq!(press(&mut permission(&all), "\r\n \x1b[Axy"), [reply(PermissionReplyKind::Once)]);
        assert_eq!(press(&mut permission(&all), "a"), [reply(PermissionReplyKind::Always)]);
        assert_eq!(press(&mut permission(&all), "n"), [reply(PermissionReplyKind::Reject)]);
        let mut without_always = permission(&["once", "reject"]);
        assert!(press(&mut without_always, "a").is_empty());
        assert_eq!(text(&without_always), "  y yes · n no · r no, and say why");
        let mut why = permission(&all);
        assert!(press(&mut why, "ruse spaces").is_empty());
        assert_eq!(text(&why), "  reason: use spaces");
        let reason = Some("use spaces".to_owned());
        assert_eq!(
            press(&mut why, "\r"),
            [Decision::Permission { reply: PermissionReplyKind::Reject, reason }]
        );
    }

    #[test]
    fn questions_are_answered_one_after_the_other() {
        let options = json!([{ "label": "Red", "description": "warm" }, { "label": "Green" }]);
        let mut dialog = questions(json!([
            { "question": "One?", "kind": "choice", "options": options, "multiSelect": false, "custom": true, "required": true },
            { "question": "Many?", "kind": "choice", "options": options, "multiSelect": true, "custom": false, "required": true },
            { "question": "Number?", "kind": "integer", "minimum": 1.0, "maximum": 9.0, "multiSelect": false, "custom": true, "required": true },
            { "question": "Sure?", "kind": "boolean", "multiSelect": false, "custom": false, "required": false },
        ]));
        assert_eq!(
            text(&dialog),
            "? One?\n  1 Red  warm\n  2 Green\n  1-9 choose · o other answer · Esc reject"
        );
        assert!(press(&mut dialog, "9oBlue\r").is_empty());
        assert!(press(&mut dialog, "\r21x1").is_empty(), "an answer is required");
        assert_eq!(
            text(&dialog),
            "? Many?\n  1 [ ] Red  warm\n  2 [x] Green\n  1-9 select · Enter confirm · Esc reject"
        );
        assert!(press(&mut dialog, "\r\r").is_empty());
        assert_eq!(text(&dialog), "? Number?\n  a whole number from 1 to 9\n  › \n  Esc reject");
        assert!(press(&mut dialog, "7\r").is_empty());
        let answers = [vec!["Blue"], vec!["Green"], vec!["7"], vec!["true"]];
        let answers = answers.map(|answer| answer.into_iter().map(str::to_owned).collect());
        assert_eq!(press(&mut dialog, "y"), [Decision::Answers(answers.to_vec())]);
    }
}
