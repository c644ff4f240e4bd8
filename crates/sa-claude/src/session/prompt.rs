//! Prompts in the CLI's own form.

use crate::native::line::{ImageSource, UserBlock, UserContent};
use sa_acp::PromptPart;

pub(super) fn content(parts: Vec<PromptPart>) -> UserContent {
    let mut blocks: Vec<_> = parts.into_iter().map(block).collect();
    match blocks.as_mut_slice() {
        [UserBlock::Text { text }] => UserContent::Text(std::mem::take(text)),
        _ => UserContent::Blocks(blocks),
    }
}

fn block(part: PromptPart) -> UserBlock {
    match part {
        PromptPart::Text(text) => UserBlock::Text { text },
        PromptPart::Image { media_type, data } => {
            UserBlock::Image { source: ImageSource::Base64 { media_type, data } }
        }
        PromptPart::ImageUrl(url) => UserBlock::Image { source: ImageSource::Url { url } },
    }
}
