//! Permissions and questions, decided with single keys.

use crate::editor::{Edit, Editor};
use crate::keys::Key;
use crate::style::{Color, Line, Style};
use crate::wrap::{Break, Margin, wrap};
use sa_api::sessions::{PermissionReplyKind, PermissionRequest, Question, QuestionKind, QuestionRequest};

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// On a permission.
    Permission {
        /// The reply.
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
    Permission {
        /// The request.
        request: PermissionRequest,
        /// The reason.
        reason: Option<Editor>,
    },
    /// Questions, and the answers so far.
    Questions {
        /// The request.
        request: QuestionRequest,
        /// The answers to the first questions.
        answers: Vec<Vec<String>>,
        /// The answer to the next one.
        field: Field,
    },
}

/// The answer to one question, while it is given.
#[derive(Debug)]
pub enum Field {
    /// Options, some of which are chosen.
    Choice(Vec<usize>),
    /// Text that is typed.
    Text(Editor),
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
                let Some(question) = request.questions.get(answers.len()) else {
                    return Some(Decision::Answers(std::mem::take(answers)));
                };
                match field.on_key(question, key) {
                    Answer::Open => None,
                    Answer::Rejected => Some(Decision::Reject),
                    Answer::Given(answer) => {
                        answers.push(answer);
                        match request.questions.get(answers.len()) {
                            Some(next) => {
                                *field = Field::of(next);
                                None
                            }
                            None => Some(Decision::Answers(std::mem::take(answers))),
                        }
                    }
                }
            }
        }
    }

    /// Draws the choices. Returns the lines and, while text is typed, the cursor.
    pub fn draw(&self, width: usize) -> (Vec<Line>, Option<(usize, usize)>) {
        match self {
            Self::Permission { reason: Some(editor), .. } => {
                let (lines, cursor) = editor.draw(&Line::styled("  reason: ", Style::of(Color::Yellow)), width);
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
        Key::Char('a' | 'A') if has_reply(request, PermissionReplyKind::Always) => PermissionReplyKind::Always,
        Key::Char('n' | 'N') => PermissionReplyKind::Reject,
        Key::Char('r' | 'R') => {
            *reason = Some(Editor::default());
            return None;
        }
        _ => return None,
    };
    Some(Decision::Permission { reply, reason: None })
}

enum Answer {
    Open,
    Given(Vec<String>),
    Rejected,
}

impl Field {
    fn of(question: &Question) -> Self {
        match question.kind {
            QuestionKind::Choice if !question.options.is_empty() => {
                let index = |label: &String| question.options.iter().position(|option| option.label == *label);
                let chosen = question.default.iter().filter_map(index).collect();
                Self::Choice(if question.multi_select { chosen } else { Vec::new() })
            }
            QuestionKind::Boolean | QuestionKind::Url => Self::Choice(Vec::new()),
            _ => Self::Text(Editor::with_text(question.default.first().map_or("", String::as_str))),
        }
    }

    fn on_key(&mut self, question: &Question, key: Key) -> Answer {
        match self {
            Self::Text(editor) => match editor.on_key(key) {
                Edit::Submit(text) if text.trim().is_empty() && question.required => Answer::Open,
                Edit::Submit(text) if text.trim().is_empty() => Answer::Given(Vec::new()),
                Edit::Submit(text) => Answer::Given(vec![text.trim().to_owned()]),
                // From the answer of one's own back to the options.
                Edit::Escape if question.kind == QuestionKind::Choice && !question.options.is_empty() => {
                    *self = Self::Choice(Vec::new());
                    Answer::Open
                }
                Edit::Escape => Answer::Rejected,
                _ => Answer::Open,
            },
            Self::Choice(chosen) => match (question.kind, key) {
                (_, Key::Escape) => Answer::Rejected,
                (QuestionKind::Boolean, Key::Char('y' | 'Y')) => Answer::Given(vec!["true".to_owned()]),
                (QuestionKind::Boolean, Key::Char('n' | 'N')) => Answer::Given(vec!["false".to_owned()]),
                (QuestionKind::Url, Key::Enter) => Answer::Given(Vec::new()),
                (QuestionKind::Choice, Key::Char('o' | 'O')) if question.custom => {
                    *self = Self::Text(Editor::default());
                    Answer::Open
                }
                (QuestionKind::Choice, Key::Char(c)) => choose(question, chosen, c),
                (QuestionKind::Choice, Key::Enter) if question.multi_select => {
                    if chosen.is_empty() && question.required {
                        return Answer::Open;
                    }
                    chosen.sort_unstable();
                    let label = |index: &usize| question.options.get(*index).map(|option| option.label.clone());
                    Answer::Given(chosen.iter().filter_map(label).collect())
                }
                (_, Key::Enter) if !question.required => Answer::Given(Vec::new()),
                _ => Answer::Open,
            },
        }
    }

    fn draw(&self, question: &Question, width: usize) -> (Vec<Line>, Option<(usize, usize)>) {
        let mut lines = heading(question, width);
        match self {
            Self::Text(editor) => {
                lines.extend(limits(question).map(|text| Line::styled(&format!("  {text}"), Style::DIM).fit(width)));
                let (input, (row, column)) = editor.draw(&Line::styled("  › ", Style::of(Color::Yellow)), width);
                let cursor = (lines.len() + row, column);
                lines.extend(input);
                let skip: &[(&str, &str)] = if question.required { &[] } else { &[("Enter", "skip")] };
                lines.push(hints(&[&[("Esc", "reject")], skip].concat()).fit(width));
                (lines, Some(cursor))
            }
            Self::Choice(chosen) => {
                for (index, option) in question.options.iter().enumerate() {
                    lines.extend(option_lines(question, chosen, index, option, width));
                }
                lines.push(choice_hints(question).fit(width));
                (lines, None)
            }
        }
    }
}

/// Options have the keys 1 to 9, then a to z without those that mean something else.
const OPTION_KEYS: &str = "123456789abcdefghijklmpqrstuvwxz";

fn choose(question: &Question, chosen: &mut Vec<usize>, key: char) -> Answer {
    let index = OPTION_KEYS.chars().position(|known| known == key);
    let Some((index, option)) = index.and_then(|index| Some((index, question.options.get(index)?))) else {
        return Answer::Open;
    };
    if !question.multi_select {
        return Answer::Given(vec![option.label.clone()]);
    }
    match chosen.iter().position(|known| *known == index) {
        Some(at) => drop(chosen.remove(at)),
        None => chosen.push(index),
    }
    Answer::Open
}

fn heading(question: &Question, width: usize) -> Vec<Line> {
    let margin = Margin { first: Line::styled("? ", Style::of(Color::Yellow).bold()), rest: Line::plain("  ") };
    let span = crate::style::Span::new(question.question.trim(), Style::BOLD);
    let mut lines = wrap(&[span], width, &margin, Break::Words);
    lines.extend(question.url.as_ref().map(|url| Line::styled(&format!("  {url}"), Style::of(Color::Cyan))));
    lines
}

fn option_lines(
    question: &Question,
    chosen: &[usize],
    index: usize,
    option: &sa_api::sessions::QuestionOption,
    width: usize,
) -> Vec<Line> {
    let key = OPTION_KEYS.chars().nth(index).unwrap_or(' ');
    let mark = match (question.multi_select, chosen.contains(&index)) {
        (false, _) => format!("  {key} "),
        (true, true) => format!("  {key} [x] "),
        (true, false) => format!("  {key} [ ] "),
    };
    let mark = Line::styled(&mark, Style::of(Color::Yellow));
    let rest = Line::plain(&" ".repeat(mark.width()));
    let mut spans = vec![crate::style::Span::new(&option.label, Style::PLAIN)];
    if let Some(description) = &option.description {
        spans.push(crate::style::Span::new(&format!("  {description}"), Style::DIM));
    }
    wrap(&spans, width, &Margin { first: mark, rest }, Break::Words)
}

fn choice_hints(question: &Question) -> Line {
    let mut keys = Vec::new();
    match question.kind {
        QuestionKind::Boolean => keys.extend([("y", "yes"), ("n", "no")]),
        QuestionKind::Url => keys.push(("Enter", "done")),
        _ if question.multi_select => keys.extend([("1-9", "select"), ("Enter", "confirm")]),
        _ => keys.push(("1-9", "choose")),
    }
    if question.custom && question.kind == QuestionKind::Choice {
        keys.push(("o", "other answer"));
    }
    if !question.required && !question.multi_select && question.kind != QuestionKind::Url {
        keys.push(("Enter", "skip"));
    }
    keys.push(("Esc", "reject"));
    hints(&keys)
}

/// What is accepted as an answer, as far as it is limited.
fn limits(question: &Question) -> Option<String> {
    let mut parts = Vec::new();
    match question.kind {
        QuestionKind::Integer => parts.push("a whole number".to_owned()),
        QuestionKind::Number => parts.push("a number".to_owned()),
        _ => parts.extend(question.format.clone()),
    }
    match (question.minimum, question.maximum) {
        (Some(least), Some(most)) => parts.push(format!("from {least} to {most}")),
        (Some(least), None) => parts.push(format!("at least {least}")),
        (None, Some(most)) => parts.push(format!("at most {most}")),
        (None, None) => {}
    }
    match (question.min_length, question.max_length) {
        (Some(least), Some(most)) => parts.push(format!("{least} to {most} characters")),
        (Some(least), None) => parts.push(format!("at least {least} characters")),
        (None, Some(most)) => parts.push(format!("at most {most} characters")),
        (None, None) => {}
    }
    (!parts.is_empty()).then(|| parts.join(" "))
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
        assert_eq!(press(&mut why, "\r"), [Decision::Permission { reply: PermissionReplyKind::Reject, reason }]);
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
        assert_eq!(text(&dialog), "? One?\n  1 Red  warm\n  2 Green\n  1-9 choose · o other answer · Esc reject");
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
