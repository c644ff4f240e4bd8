//! The results of a run: figures next to their floors and goals, and the arithmetic on samples.

use serde::Serialize;

/// One measured value, what bounds it, and what is asked of it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    pub(crate) value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pipe: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) http: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) goal: Option<Goal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) met: Option<bool>,
}

/// The goal of a figure.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Goal {
    AtMost(f64),
    AtLeast(f64),
    RatioAtLeast(f64),
    RatioAtMost(f64),
}

/// The floor that a figure is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Against {
    /// Both in a row: the fastest possible answer.
    Sum,
    /// The slower one: the highest possible throughput.
    Lower,
    Only,
    /// The HTTP floor; the other one is there to be looked at.
    Http,
}

impl Figure {
    /// Creates a figure without floors.
    pub(crate) fn new(name: impl Into<String>, unit: &'static str, value: f64) -> Self {
        Self { name: name.into(), unit, value, pipe: None, http: None, ratio: None, goal: None, met: None }
    }

    /// Adds the floors and the ratio to what they allow together.
    pub(crate) fn floors(mut self, pipe: Option<f64>, http: Option<f64>, against: Against) -> Self {
        let both = [pipe, http].into_iter().flatten();
        let floor = match against {
            Against::Sum => both.sum(),
            Against::Lower => both.fold(f64::INFINITY, f64::min),
            Against::Only => pipe.or(http).unwrap_or(0.0),
            Against::Http => http.unwrap_or(0.0),
        };
        (self.pipe, self.http) = (pipe, http);
        self.ratio = (floor > 0.0).then(|| self.value / floor);
        self
    }

    /// Compares with something that is no floor, another figure of the same run.
    pub(crate) fn relative_to(mut self, other: f64) -> Self {
        self.ratio = (other > 0.0).then(|| self.value / other);
        self
    }

    /// States the goal, where there is one.
    pub(crate) fn maybe_goal(self, goal: Option<Goal>) -> Self {
        match goal {
            Some(goal) => self.goal(goal),
            None => self,
        }
    }

    /// States the goal and whether it is met.
    pub(crate) fn goal(mut self, goal: Goal) -> Self {
        self.goal = Some(goal);
        self.met = match goal {
            Goal::AtMost(limit) => Some(self.value <= limit),
            Goal::AtLeast(limit) => Some(self.value >= limit),
            Goal::RatioAtLeast(limit) => self.ratio.map(|ratio| ratio >= limit),
            Goal::RatioAtMost(limit) => self.ratio.map(|ratio| ratio <= limit),
        };
        self
    }
}

/// Returns the middle of the samples; 0 when there are none.
pub(crate) fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Returns the sample that `share` of all are below, in microseconds from nanoseconds.
pub(crate) fn percentile_us(samples: &mut [u64], share: f64) -> f64 {
    samples.sort_unstable();
    let index = (samples.len().saturating_sub(1) as f64 * share).round() as usize;
    samples.get(index).map_or(0.0, |nanos| *nanos as f64 / 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_judged_against_the_right_floor() {
        let figure =
            |value: f64, against| Figure::new("f", "µs", value).floors(Some(10.0), Some(90.0), against);
        assert_eq!(figure(150.0, Against::Sum).goal(Goal::RatioAtMost(1.5)).met, Some(true));
        assert_eq!(figure(151.0, Against::Sum).goal(Goal::RatioAtMost(1.5)).met, Some(false));
        assert_eq!(figure(4.0, Against::Lower).goal(Goal::RatioAtLeast(0.4)).met, Some(true));
        assert_eq!(figure(3.9, Against::Lower).goal(Goal::RatioAtLeast(0.4)).met, Some(false));
        assert_eq!(Figure::new("f", "ms", 30.0).goal(Goal::AtMost(30.0)).met, Some(true));
        assert_eq!(Figure::new("f", "/s", 29.0).goal(Goal::AtLeast(30.0)).met, Some(false));
    }

    #[test]
    fn percentiles_and_medians_are_samples() {
        let mut samples: Vec<u64> = (0..=100).rev().map(|n| n * 1_000).collect();
        assert_eq!((percentile_us(&mut samples, 0.5), percentile_us(&mut samples, 0.99)), (50.0, 99.0));
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[]), 0.0);
    }
}
