//! What a client asks for, in the CLI's own form.

use crate::native::{ImageSource, InputBlock};
use agent_client_protocol_schema::v1::{Error, PromptRequest};
use sa_acp::{Piece, RequestKey, first_line, invalid, pieces};

/// A prompt that waits or is worked on.
#[derive(Debug)]
pub(crate) struct Prompt {
    /// The request to answer.
    pub(crate) key: RequestKey,
    pub(super) content: Vec<InputBlock>,
    /// The first line of its text, for a title.
    pub(super) first_line: String,
}

impl Prompt {
    pub(crate) fn new(key: RequestKey, request: PromptRequest) -> Result<Self, Error> {
        let pieces = pieces("Amp", request.prompt)?;
        let first_line = first_line(&pieces);
        let content = pieces.into_iter().map(block).collect::<Result<_, _>>()?;
        Ok(Self { key, content, first_line })
    }
}

fn block(piece: Piece) -> Result<InputBlock, Error> {
    Ok(match piece {
        Piece::Text(text) => InputBlock::Text { text },
        Piece::Image { media_type, data } => {
            InputBlock::Image { source: ImageSource::Base64 { media_type, data } }
        }
        Piece::ImageUrl(_) => return Err(invalid("Amp takes no pictures by their address, only their data")),
    })
}
