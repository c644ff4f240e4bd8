//! Readings: what the daemon counts, in the form from which both `/metrics` and OTLP are written.

use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Sets of labels that one histogram has room for. Values beyond it are counted under `other`, as agents name models.
const LABEL_SETS: usize = 200;

/// The way in which a value changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingKind {
    /// Only grows while the daemon runs.
    Counter,
    Gauge,
    Histogram,
}

/// A metric with its values now.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The name in OTLP.
    pub name: &'static str,
    pub help: &'static str,
    /// The unit, in UCUM; empty for plain counts.
    pub unit: &'static str,
    /// The way in which the value changes.
    pub kind: ReadingKind,
    /// The values, by labels.
    pub points: Vec<Point>,
}

/// A value under its labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    pub labels: Vec<(&'static str, String)>,
    pub value: Value,
}

/// A value of a metric.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Count(u64),
    Amount(f64),
    Distribution(Distribution),
}

/// Values by size.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// The upper bounds of all buckets but the last.
    pub bounds: &'static [f64],
    /// Values in each bucket, one more than there are bounds.
    pub counts: Vec<u64>,
    pub sum: f64,
}

impl Reading {
    /// Creates a metric with one value.
    pub fn single(kind: ReadingKind, name: &'static str, help: &'static str, value: u64) -> Self {
        let points = vec![Point { labels: Vec::new(), value: Value::Count(value) }];
        Self { name, help, unit: "", kind, points }
    }

    /// Returns the name in Prometheus, as collectors translate it, without the suffix of its samples.
    pub fn prometheus_name(&self) -> String {
        let name = self.name.replace('.', "_");
        match self.unit {
            "s" => name + "_seconds",
            _ => name,
        }
    }
}

/// A histogram, to which any thread adds.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [f64],
    distributions: Mutex<BTreeMap<Vec<(&'static str, String)>, Distribution>>,
}

impl Histogram {
    /// Creates a histogram without values.
    pub fn new(bounds: &'static [f64]) -> Self {
        Self { bounds, distributions: Mutex::default() }
    }

    pub fn add(&self, mut labels: Vec<(&'static str, String)>, value: f64) {
        let mut distributions = self.distributions.lock();
        if distributions.len() >= LABEL_SETS && !distributions.contains_key(&labels) {
            labels.iter_mut().for_each(|(_, text)| "other".clone_into(text));
        }
        let empty = || Distribution { bounds: self.bounds, counts: vec![0; self.bounds.len() + 1], sum: 0.0 };
        let distribution = distributions.entry(labels).or_insert_with(empty);
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        if let Some(count) = distribution.counts.get_mut(bucket) {
            *count += 1;
        }
        distribution.sum += value;
    }

    /// Returns the values so far.
    pub fn points(&self) -> Vec<Point> {
        let distributions = self.distributions.lock();
        let point = |(labels, distribution): (&Vec<_>, &Distribution)| Point {
            labels: labels.clone(),
            value: Value::Distribution(distribution.clone()),
        };
        distributions.iter().map(point).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn values_are_counted_by_size_and_labels() {
        let histogram = Histogram::new(&[1.0, 10.0]);
        for value in [0.5, 1.0, 2.0, 100.0] {
            histogram.add(vec![("agent", "demo".to_owned())], value);
        }
        let points = histogram.points();
        let distribution = Distribution { bounds: &[1.0, 10.0], counts: vec![2, 1, 1], sum: 103.5 };
        assert_eq!(points[0].value, Value::Distribution(distribution));
    }

    #[test]
    fn names_that_agents_make_up_do_not_grow_without_bound() {
        let histogram = Histogram::new(&[1.0]);
        for model in 0..1000 {
            histogram.add(vec![("model", model.to_string())], 1.0);
        }
        assert_eq!(histogram.points().len(), LABEL_SETS + 1);
    }
}
