//! What a client asks for, in the CLI's own form.

use crate::native::{ImageSource, InputBlock};
use agent_client_protocol_schema::v1::Error;
use sa_acp::{Piece, invalid};

pub(super) fn block(piece: Piece) -> Result<InputBlock, Error> {
    Ok(match piece {
        Piece::Text(text) => InputBlock::Text { text },
        Piece::Image { media_type, data } => {
            InputBlock::Image { source: ImageSource::Base64 { media_type, data } }
        }
        Piece::ImageUrl(_) => return Err(invalid("Amp takes no pictures by their address, only their data")),
    })
}
