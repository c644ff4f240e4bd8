//! Prompts in the CLI's own form.

use crate::native::{ImageSource, InputBlock};
use sa_acp::PromptPart;

pub(super) fn block(part: PromptPart) -> InputBlock {
    match part {
        PromptPart::Text(text) => InputBlock::Text { text },
        PromptPart::Image { media_type, data } => {
            InputBlock::Image { source: ImageSource::Base64 { media_type, data } }
        }
        // The agent's profile refuses them; the CLI would, too.
        PromptPart::ImageUrl(url) => InputBlock::Text { text: url },
    }
}
