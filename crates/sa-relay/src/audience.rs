//! Who may see a record.

use crate::{Record, RecordKind};

/// The readers of a record. Event streams of a server show every record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    Everyone,
    /// The answer to a POST that was there to take it, or to a request that was answered with an error before.
    Post,
    /// The answer to a request that came over this open socket.
    Socket {
        socket: u32,
        /// A request over another socket had the same id meanwhile.
        contested: bool,
    },
    /// The answer to a request that asked for it on a stream; `scope` is the caller's name for which.
    Stream {
        /// 0 where the caller named none.
        scope: u32,
    },
    /// The answer to a request whose POST is gone.
    Gone,
    /// The answer to a request that came over a socket which is gone.
    GoneSocket {
        /// A request over another socket had the same id meanwhile.
        contested: bool,
    },
}

impl Audience {
    /// Returns whether the record is an answer that its caller received when it was logged.
    pub fn is_received(self) -> bool {
        matches!(self, Self::Post | Self::Socket { .. })
    }
}

/// A socket as a reader of records.
#[derive(Debug, Clone, Copy)]
pub struct SocketView {
    pub socket: u32,
    /// The newest record when it came, for a socket that resumes after a record which an earlier one saw. It may wait
    /// for answers to the earlier one's requests.
    pub resumed_at: Option<u64>,
}

/// The meaning of a record to a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    Own,
    /// The answer to another client's request.
    Foreign,
    /// The answer to a request of a socket that is gone: this client's earlier one, or another's with an equal id.
    Ambiguous,
    /// Not shown by sockets.
    Hidden,
}

impl SocketView {
    /// Returns the meaning of the record of this number to the socket.
    pub fn sees(self, sequence: u64, record: &Record, is_open: impl Fn(u32) -> bool) -> Sight {
        let late = |contested| if contested { Sight::Ambiguous } else { Sight::Own };
        match record.audience {
            Audience::Everyone if record.kind == RecordKind::Response => Sight::Foreign,
            Audience::Everyone => Sight::Own,
            Audience::Socket { socket, .. } if socket == self.socket => Sight::Own,
            Audience::Socket { socket, contested } => match self.resumed_at {
                // The earlier socket may have been cut without a sign, so that it still counts as open.
                Some(newest) if sequence <= newest || !is_open(socket) => late(contested),
                _ => Sight::Foreign,
            },
            Audience::GoneSocket { contested } if self.resumed_at.is_some() => late(contested),
            Audience::Gone | Audience::GoneSocket { .. } => Sight::Foreign,
            Audience::Post | Audience::Stream { .. } => Sight::Hidden,
        }
    }
}
