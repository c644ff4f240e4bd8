//! What a client asks for, in the CLI's own form.

use super::Session;
use crate::native::call::{Input, ReviewTarget};
use agent_client_protocol_schema::v1::Error;
use sa_acp::{Piece, invalid};

/// What a prompt asks of the CLI.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Work {
    Turn(Vec<Input>),
    Compact,
    Review(ReviewTarget),
}

pub(super) fn input(piece: Piece) -> Result<Input, Error> {
    Ok(match piece {
        Piece::Text(text) => Input::Text { text },
        Piece::Image { media_type, data } => Input::Image { url: format!("data:{media_type};base64,{data}") },
        Piece::ImageUrl(_) => {
            return Err(invalid("Codex takes no pictures by their address, only their data"));
        }
    })
}

impl Session {
    /// Takes commands for what they are.
    pub(super) fn work_of(&self, input: Vec<Input>) -> Work {
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
