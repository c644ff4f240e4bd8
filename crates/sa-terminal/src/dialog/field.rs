//! The answer to one question: options with keys, or a line of text.

use super::hints;
use crate::editor::{Edit, Editor};
use crate::keys::Key;
use crate::style::{Color, Line, Span, Style};
use crate::wrap::{Break, Margin, wrap};
use sa_api::sessions::{Question, QuestionKind, QuestionOption};

/// The answer to one question, while it is given.
#[derive(Debug)]
pub enum Field {
    /// Options, some of which are chosen.
    Choice(Vec<usize>),
    /// Text that is typed.
    Text(Editor),
}

/// The effect of a key.
pub(super) enum Answer {
    /// More keys are needed.
    Open,
    Given(Vec<String>),
    Rejected,
}

impl Field {
    pub(super) fn of(question: &Question) -> Self {
        match question.kind {
            QuestionKind::Choice if !question.options.is_empty() => {
                let index =
                    |label: &String| question.options.iter().position(|option| option.label == *label);
                let chosen = question.default.iter().filter_map(index).collect();
                Self::Choice(if question.multi_select { chosen } else { Vec::new() })
            }
            QuestionKind::Boolean | QuestionKind::Url => Self::Choice(Vec::new()),
            _ => Self::Text(Editor::with_text(question.default.first().map_or("", String::as_str))),
        }
    }

    pub(super) fn on_key(&mut self, question: &Question, key: Key) -> Answer {
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
                    let label =
                        |index: &usize| question.options.get(*index).map(|option| option.label.clone());
                    Answer::Given(chosen.iter().filter_map(label).collect())
                }
                (_, Key::Enter) if !question.required => Answer::Given(Vec::new()),
                _ => Answer::Open,
            },
        }
    }

    pub(super) fn draw(&self, question: &Question, width: usize) -> (Vec<Line>, Option<(usize, usize)>) {
        let mut lines = heading(question, width);
        match self {
            Self::Text(editor) => {
                lines.extend(
                    limits(question).map(|text| Line::styled(&format!("  {text}"), Style::DIM).fit(width)),
                );
                let (input, (row, column)) =
                    editor.draw(&Line::styled("  › ", Style::of(Color::Yellow)), width);
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
    let margin = Margin::hanging(Line::styled("? ", Style::of(Color::Yellow).bold()));
    let span = Span::new(question.question.trim(), Style::BOLD);
    let mut lines = wrap(&[span], width, &margin, Break::Words);
    lines.extend(question.url.as_ref().map(|url| Line::styled(&format!("  {url}"), Style::of(Color::Cyan))));
    lines
}

fn option_lines(
    question: &Question,
    chosen: &[usize],
    index: usize,
    option: &QuestionOption,
    width: usize,
) -> Vec<Line> {
    let key = OPTION_KEYS.chars().nth(index).unwrap_or(' ');
    let mark = match (question.multi_select, chosen.contains(&index)) {
        (false, _) => format!("  {key} "),
        (true, true) => format!("  {key} [x] "),
        (true, false) => format!("  {key} [ ] "),
    };
    let margin = Margin::hanging(Line::styled(&mark, Style::of(Color::Yellow)));
    let mut spans = vec![Span::new(&option.label, Style::PLAIN)];
    if let Some(description) = &option.description {
        spans.push(Span::new(&format!("  {description}"), Style::DIM));
    }
    wrap(&spans, width, &margin, Break::Words)
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

/// The limits of an answer, if there are any.
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
