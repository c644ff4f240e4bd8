//! The wire format of protobuf, as far as OTLP needs it. Fields of the default value are left out, as the format wants.

/// A message that is being written.
#[derive(Debug, Default)]
pub(crate) struct Proto(Vec<u8>);

/// Wire types.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;
const FIXED32: u32 = 5;

impl Proto {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn tag(&mut self, field: u32, wire: u32) {
        self.varint(u64::from(field << 3 | wire));
    }

    /// Writes a number, also a truth value or one of an enumeration.
    pub(crate) fn number(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.always_number(field, value);
        }
    }

    /// Writes a number in a choice, where the default is significant.
    pub(crate) fn always_number(&mut self, field: u32, value: u64) {
        self.tag(field, VARINT);
        self.varint(value);
    }

    /// Eight bytes.
    pub(crate) fn fixed64(&mut self, field: u32, value: u64) {
        self.tag(field, FIXED64);
        self.0.extend(value.to_le_bytes());
    }

    /// Four bytes.
    pub(crate) fn fixed32(&mut self, field: u32, value: u32) {
        self.tag(field, FIXED32);
        self.0.extend(value.to_le_bytes());
    }

    /// Writes a floating-point number.
    pub(crate) fn double(&mut self, field: u32, value: f64) {
        self.fixed64(field, value.to_bits());
    }

    /// Numbers of eight bytes, one after the other.
    pub(crate) fn packed64(&mut self, field: u32, values: impl Iterator<Item = u64>) {
        let bytes: Vec<u8> = values.flat_map(u64::to_le_bytes).collect();
        self.bytes(field, &bytes);
    }

    pub(crate) fn bytes(&mut self, field: u32, value: &[u8]) {
        if !value.is_empty() {
            self.always_bytes(field, value);
        }
    }

    /// Writes bytes in a choice, where the default is significant.
    pub(crate) fn always_bytes(&mut self, field: u32, value: &[u8]) {
        self.tag(field, LENGTH);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    pub(crate) fn text(&mut self, field: u32, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    /// Writes a message within this one, also if it is empty.
    pub(crate) fn message(&mut self, field: u32, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.always_bytes(field, &inner.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_format_wants() {
        let mut proto = Proto::default();
        proto.number(1, 300);
        proto.number(2, 0);
        proto.text(3, "hi");
        proto.message(4, |inner| inner.fixed32(1, 1));
        proto.packed64(5, [1].into_iter());
        let expected = [
            0x08, 0xac, 0x02, 0x1a, 2, b'h', b'i', 0x22, 5, 0x0d, 1, 0, 0, 0, 0x2a, 8, 1, 0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(proto.into_bytes(), expected);
    }
}
