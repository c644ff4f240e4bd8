//! Which traces are recorded, as `OTEL_TRACES_SAMPLER` says.

use crate::context::TraceContext;

/// A rule for traces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampler {
    root: Root,
    follows_parent: bool,
}

/// The rule for traces that begin here.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Root {
    Always,
    Never,
    Ratio(f64),
}

impl Default for Sampler {
    fn default() -> Self {
        Self { root: Root::Always, follows_parent: true }
    }
}

impl Sampler {
    /// Reads the name and the argument of a sampler.
    pub(crate) fn parse(name: &str, argument: Option<&str>) -> Result<Self, String> {
        let (follows_parent, rule) = match name.strip_prefix("parentbased_") {
            Some(rule) => (true, rule),
            None => (false, name),
        };
        let root = match rule {
            "always_on" => Root::Always,
            "always_off" => Root::Never,
            "traceidratio" => {
                let text = argument.unwrap_or("1");
                let ratio = text.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
                Root::Ratio(ratio.ok_or_else(|| {
                    format!("OTEL_TRACES_SAMPLER_ARG '{text}': expected a number from 0 to 1")
                })?)
            }
            _ => {
                return Err(format!(
                    "OTEL_TRACES_SAMPLER '{name}': expected always_on, always_off, traceidratio, parentbased_always_on, \
                     parentbased_always_off or parentbased_traceidratio"
                ));
            }
        };
        Ok(Self { root, follows_parent })
    }

    pub(crate) fn takes(&self, trace_id: &[u8; 16], parent: Option<&TraceContext>) -> bool {
        match (parent, self.root) {
            (Some(parent), _) if self.follows_parent => parent.sampled,
            (_, Root::Always) => true,
            (_, Root::Never) => false,
            (_, Root::Ratio(ratio)) => {
                let [.., a, b, c, d, e, f, g, h] = *trace_id;
                let share = u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 11;
                (share as f64) < ratio * (1_u64 << 53) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::span::derived;

    fn taken(sampler: &Sampler) -> usize {
        (0..1000).filter(|number: &u32| sampler.takes(&derived(&[&number.to_string()]), None)).count()
    }

    #[test]
    fn a_ratio_takes_about_that_part() {
        let sampler = |argument| Sampler::parse("traceidratio", argument).unwrap();
        assert_eq!((taken(&sampler(None)), taken(&sampler(Some("0")))), (1000, 0));
        assert!((150..350).contains(&taken(&sampler(Some("0.25")))));
        assert!(
            Sampler::parse("traceidratio", Some("2")).is_err() && Sampler::parse("jaeger", None).is_err()
        );
    }

    #[test]
    fn a_parent_decides_where_it_is_asked() {
        let parent = |sampled| {
            let flags = if sampled { "01" } else { "00" };
            TraceContext::parse(
                &format!("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-{flags}"),
                None,
            )
        };
        let takes =
            |name, sampled| Sampler::parse(name, None).unwrap().takes(&[1; 16], parent(sampled).as_ref());
        assert!(takes("parentbased_always_off", true) && !takes("parentbased_always_on", false));
        assert!(takes("always_on", false) && !takes("always_off", true));
    }
}
