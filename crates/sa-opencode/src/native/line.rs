//! Lines of the wire.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Debug)]
pub(crate) enum WireLine<'a> {
    /// Events arrive from now on.
    Up,
    /// No events arrive any more, until they do again.
    Down(String),
    Event(&'a str),
    /// The answer to a request.
    Answer {
        id: u64,
        status: u16,
        body: &'a str,
    },
    /// There is no answer to a request.
    Broken {
        id: u64,
        reason: String,
    },
    Printed(String),
    /// Something could not be kept.
    Unparsed(String),
}

#[derive(Deserialize)]
struct Frame<'a> {
    id: Option<u64>,
    status: Option<u16>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
    broken: Option<String>,
    up: Option<bool>,
    down: Option<String>,
    #[serde(borrow)]
    event: Option<&'a RawValue>,
    stdout: Option<String>,
    unparsed: Option<String>,
}

impl<'a> WireLine<'a> {
    /// Reads a line; an error in words if it is none.
    pub(crate) fn read(line: &'a [u8]) -> Result<Self, String> {
        let frame: Frame<'a> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        if let Some(event) = frame.event {
            return Ok(Self::Event(event.get()));
        }
        match (frame.id, frame.status, frame.broken) {
            (Some(id), Some(status), _) => {
                return Ok(Self::Answer { id, status, body: frame.body.map_or("null", RawValue::get) });
            }
            (Some(id), None, Some(reason)) => return Ok(Self::Broken { id, reason }),
            _ => {}
        }
        match (frame.up, frame.down, frame.stdout, frame.unparsed) {
            (Some(_), ..) => Ok(Self::Up),
            (_, Some(reason), ..) => Ok(Self::Down(reason)),
            (_, _, Some(words), _) => Ok(Self::Printed(words)),
            (_, _, _, Some(reason)) => Ok(Self::Unparsed(reason)),
            _ => Err("a line of the wire that is not known".to_owned()),
        }
    }
}
