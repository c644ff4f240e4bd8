//! Prompts in the CLI's own form.

use super::Session;
use crate::native::call::{Input, ReviewTarget};
use sa_acp::PromptPart;

/// The work that a prompt asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Work {
    Turn(Vec<Input>),
    Compact,
    Review(ReviewTarget),
}

fn input(part: PromptPart) -> Input {
    match part {
        PromptPart::Text(text) => Input::Text { text },
        PromptPart::Image { media_type, data } => {
            Input::Image { url: format!("data:{media_type};base64,{data}") }
        }
        PromptPart::ImageUrl(url) => Input::Image { url },
    }
}

impl Session {
    /// Takes commands for what they are.
    pub(super) fn work_of(&self, parts: Vec<PromptPart>) -> Work {
        let input: Vec<_> = parts.into_iter().map(input).collect();
        let Some(Input::Text { text }) = input.first() else { return Work::Turn(input) };
        let Some(line) = text.trim().strip_prefix('/') else { return Work::Turn(input) };
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match name {
            "compact" if rest.is_empty() => Work::Compact,
            "review" if rest.is_empty() => Work::Review(ReviewTarget::UncommittedChanges),
            "review" => Work::Review(ReviewTarget::Custom { instructions: rest.to_owned() }),
            _ => match self.skills.iter().find(|skill| skill.name == name) {
                Some(skill) => {
                    let skill = Input::Skill { name: skill.name.clone(), path: skill.path.clone() };
                    let mut all = vec![skill, Input::Text { text: text.clone() }];
                    all.extend(input.into_iter().skip(1));
                    Work::Turn(all)
                }
                None => Work::Turn(input),
            },
        }
    }
}
