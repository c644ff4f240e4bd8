//! The W3C trace context: which trace a request belongs to.

use crate::span::SpanId;

/// Longest `tracestate` that is passed on, in bytes.
const STATE_BYTES: usize = 512;

/// A place in a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    pub trace_id: [u8; 16],
    /// The span that is the parent of what follows.
    pub span_id: SpanId,
    /// True if the trace is recorded.
    pub sampled: bool,
    /// The `tracestate` that came with it.
    pub state: Option<String>,
}

impl TraceContext {
    /// Reads the values of `traceparent` and `tracestate`. A malformed `traceparent` is none; a `tracestate` that is too long is left out.
    pub fn parse(parent: &str, state: Option<&str>) -> Option<Self> {
        let mut fields = parent.trim().split('-');
        let (version, trace, span, flags) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let [version] = bytes::<1>(version)?;
        // Later versions may have more fields; this one has not.
        if version == 0xff || (version == 0 && fields.next().is_some()) {
            return None;
        }
        let (trace_id, span_id, [flags]) = (bytes::<16>(trace)?, bytes::<8>(span)?, bytes::<1>(flags)?);
        if trace_id == [0; 16] || span_id == [0; 8] {
            return None;
        }
        let state = state.map(str::trim).filter(|state| !state.is_empty() && state.len() <= STATE_BYTES);
        Some(Self {
            trace_id,
            span_id: SpanId(span_id),
            sampled: flags & 1 == 1,
            state: state.map(str::to_owned),
        })
    }

    /// Returns the value of `traceparent`.
    pub fn traceparent(&self) -> String {
        let (trace, span) = (hex::encode(self.trace_id), hex::encode(self.span_id.0));
        format!("00-{trace}-{span}-{:02x}", u8::from(self.sampled))
    }
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    // The standard allows lower-case digits only.
    (!text.contains(|digit: char| digit.is_ascii_uppercase())).then_some(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_context_is_read_and_written_the_same() {
        let context = TraceContext::parse(PARENT, Some("vendor=1")).unwrap();
        assert!(context.sampled);
        assert_eq!((context.traceparent().as_str(), context.state.as_deref()), (PARENT, Some("vendor=1")));
        let off = TraceContext::parse(&PARENT.replace("-01", "-00"), None).unwrap();
        assert!(!off.sampled && off.traceparent().ends_with("-00"));
    }

    #[test]
    fn later_versions_are_read_as_far_as_they_are_known() {
        let later = format!("{}-more", PARENT.replacen("00", "01", 1));
        assert_eq!(TraceContext::parse(&later, None).unwrap().traceparent(), PARENT);
    }

    #[test]
    fn malformed_contexts_are_none() {
        for wrong in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319ü-b7ad6b7169203331-01",
        ] {
            assert_eq!(TraceContext::parse(wrong, None), None, "{wrong}");
        }
    }
}
