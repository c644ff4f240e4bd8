//! OTLP requests, read back by the numbers of the published protocol definitions.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A field's value on the wire.
#[derive(Debug, Clone)]
enum Raw<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, by their numbers.
struct Message<'a>(BTreeMap<u64, Vec<Raw<'a>>>);

impl<'a> Message<'a> {
    fn read(mut bytes: &'a [u8]) -> Result<Self> {
        let mut fields: BTreeMap<u64, Vec<Raw<'a>>> = BTreeMap::new();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes)?;
            let value = match tag & 7 {
                0 => Raw::Number(varint(&mut bytes)?),
                1 => Raw::Number(u64::from_le_bytes(take(&mut bytes, 8)?.try_into()?)),
                2 => {
                    let length = usize::try_from(varint(&mut bytes)?)?;
                    Raw::Bytes(take(&mut bytes, length)?)
                }
                5 => Raw::Number(u64::from(u32::from_le_bytes(take(&mut bytes, 4)?.try_into()?))),
                other => bail!("wire type {other}"),
            };
            fields.entry(tag >> 3).or_default().push(value);
        }
        Ok(Self(fields))
    }

    fn all(&self, field: u64) -> impl Iterator<Item = &'a [u8]> + '_ {
        self.0.get(&field).into_iter().flatten().filter_map(|raw| match raw {
            Raw::Bytes(bytes) => Some(*bytes),
            Raw::Number(_) => None,
        })
    }

    fn messages(&self, field: u64) -> Result<Vec<Message<'a>>> {
        self.all(field).map(Message::read).collect()
    }

    fn bytes(&self, field: u64) -> &'a [u8] {
        self.all(field).next().unwrap_or_default()
    }

    fn text(&self, field: u64) -> String {
        String::from_utf8_lossy(self.bytes(field)).into_owned()
    }

    fn number(&self, field: u64) -> u64 {
        match self.0.get(&field).and_then(|values| values.first()) {
            Some(Raw::Number(number)) => *number,
            _ => 0,
        }
    }

    fn has(&self, field: u64) -> bool {
        self.0.contains_key(&field)
    }
}

fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let [byte] = *take(bytes, 1)? else { bail!("a byte") };
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    bail!("a number of more than ten bytes")
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length).context("the message ends too early")?;
    *bytes = rest;
    Ok(taken)
}

/// A span as it came.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) trace: String,
    pub(crate) id: String,
    pub(crate) parent: String,
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) start_ms: u64,
    pub(crate) end_ms: u64,
    pub(crate) attributes: BTreeMap<String, Value>,
    /// 2 is an error.
    pub(crate) status: u64,
    pub(crate) resource: BTreeMap<String, Value>,
}

impl Span {
    pub(crate) fn text(&self, key: &str) -> &str {
        self.attributes.get(key).and_then(Value::as_str).unwrap_or_default()
    }
}

/// A record of the log as it came.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) severity: String,
    pub(crate) body: String,
}

/// A metric as it came, with the sums of its points.
#[derive(Debug, Clone)]
pub(crate) struct Metric {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) points: Vec<(BTreeMap<String, Value>, f64)>,
}

/// Attributes of a resource, and an item of it as it came.
type Item = (BTreeMap<String, Value>, Vec<u8>);

/// Returns the items of a request: for each resource, those of its scopes.
fn items(body: &[u8]) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for of_resource in Message::read(body)?.messages(1)? {
        let resource = attributes(&Message::read(of_resource.bytes(1))?, 1)?;
        for scope in of_resource.messages(2)? {
            let name = Message::read(scope.bytes(1))?.text(1);
            anyhow::ensure!(name == "sandbox-agent", "scope {name}");
            items.extend(scope.all(2).map(|item| (resource.clone(), item.to_vec())));
        }
    }
    Ok(items)
}

pub(crate) fn spans(body: &[u8]) -> Result<Vec<Span>> {
    let read = |(resource, item): Item| {
        let span = Message::read(&item)?;
        Ok(Span {
            trace: hex(span.bytes(1)),
            id: hex(span.bytes(2)),
            parent: hex(span.bytes(4)),
            name: span.text(5),
            kind: span.number(6),
            start_ms: span.number(7) / 1_000_000,
            end_ms: span.number(8) / 1_000_000,
            attributes: attributes(&span, 9)?,
            status: Message::read(span.bytes(15))?.number(3),
            resource,
        })
    };
    items(body)?.into_iter().map(read).collect()
}

pub(crate) fn records(body: &[u8]) -> Result<Vec<Record>> {
    let read = |(_, item): Item| {
        let record = Message::read(&item)?;
        Ok(Record { severity: record.text(3), body: Message::read(record.bytes(5))?.text(1) })
    };
    items(body)?.into_iter().map(read).collect()
}

pub(crate) fn metrics(body: &[u8]) -> Result<Vec<Metric>> {
    let read = |(_, item): Item| {
        let metric = Message::read(&item)?;
        let kinds = [(5, "gauge"), (7, "sum"), (9, "histogram")];
        let (field, kind) = kinds.into_iter().find(|(field, _)| metric.has(*field)).context("a kind")?;
        let data = Message::read(metric.bytes(field))?;
        let mut points = Vec::new();
        for point in data.messages(1)? {
            let labels = attributes(&point, if kind == "histogram" { 9 } else { 7 })?;
            let value = match kind {
                "histogram" => point.number(4) as f64,
                _ if point.has(4) => f64::from_bits(point.number(4)),
                _ => point.number(6) as f64,
            };
            points.push((labels, value));
        }
        Ok(Metric { name: metric.text(1), kind, points })
    };
    items(body)?.into_iter().map(read).collect()
}

fn attributes(message: &Message<'_>, field: u64) -> Result<BTreeMap<String, Value>> {
    let read = |pair: Message<'_>| Ok((pair.text(1), value(&Message::read(pair.bytes(2))?)?));
    message.messages(field)?.into_iter().map(read).collect()
}

fn value(message: &Message<'_>) -> Result<Value> {
    Ok(match () {
        () if message.has(2) => json!(message.number(2) == 1),
        () if message.has(3) => json!(message.number(3).cast_signed()),
        () if message.has(4) => json!(f64::from_bits(message.number(4))),
        () if message.has(5) => {
            let list = Message::read(message.bytes(5))?;
            list.messages(1)?.iter().map(value).collect::<Result<Value>>()?
        }
        () => json!(message.text(1)),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
