//! What a client asks for, in the CLI's own form.

use crate::native::line::{ImageSource, UserBlock, UserContent};
use sa_acp::Piece;

pub(super) fn content(pieces: Vec<Piece>) -> UserContent {
    let mut blocks: Vec<_> = pieces.into_iter().map(block).collect();
    match blocks.as_mut_slice() {
        [UserBlock::Text { text }] => UserContent::Text(std::mem::take(text)),
        _ => UserContent::Blocks(blocks),
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
