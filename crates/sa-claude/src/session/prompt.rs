//! What a client asks for, in the CLI's own form.

use crate::native::line::{ImageSource, UserBlock, UserContent};
use agent_client_protocol_schema::v1::{Error, PromptRequest};
use sa_acp::{Piece, RequestKey, first_line, pieces};

/// A prompt that waits or is worked on.
#[derive(Debug)]
pub(crate) struct Prompt {
    /// The request to answer.
    pub(crate) key: RequestKey,
    pub(super) content: UserContent,
    /// The first line of its text, for a title.
    pub(super) first_line: String,
}

impl Prompt {
    pub(crate) fn new(key: RequestKey, request: PromptRequest) -> Result<Self, Error> {
        let pieces = pieces("Claude Code", request.prompt)?;
        let first_line = first_line(&pieces);
        let mut blocks: Vec<_> = pieces.into_iter().map(block).collect();
        let content = match blocks.as_mut_slice() {
            [UserBlock::Text { text }] => UserContent::Text(std::mem::take(text)),
            _ => UserContent::Blocks(blocks),
        };
        Ok(Self { key, content, first_line })
    }
}

fn block(piece: Piece) -> UserBlock {
    match piece {
        Piece::Text(text) => UserBlock::Text { text },
        Piece::Image { media_type, data } => {
            UserBlock::Image { source: ImageSource::Base64 { media_type, data } }
        }
        Piece::ImageUrl(url) => UserBlock::Image { source: ImageSource::Url { url } },
    }
}
