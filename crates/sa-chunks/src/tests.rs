//! Tests of chunks and buffers.
#![allow(clippy::unwrap_used)]

use super::*;
use bytes::Bytes;
use proptest::prelude::*;
use std::collections::VecDeque;

/// Fills a buffer of this length and returns what readers would share.
fn cut(chunks: &mut Chunks, length: usize, fill: u8) -> Bytes {
    let mut buffer = chunks.take(length);
    assert!(buffer.is_empty() && buffer.capacity() >= length);
    buffer.resize(length, fill);
    let filled = buffer.split().freeze();
    chunks.put_back(buffer);
    filled
}

#[test]
fn a_chunk_is_whole_huge_pages() {
    let mut chunks = Chunks::default();
    let first = cut(&mut chunks, CHUNK_BYTES, 1);
    assert_eq!(first.as_ptr().align_offset(HUGE_PAGE), 0);
    assert_eq!(chunks.current.capacity(), 0);
}

#[test]
fn a_chunk_is_filled_again_at_the_same_address_once_nobody_reads_it() {
    let mut chunks = Chunks::default();
    let first = cut(&mut chunks, CHUNK_BYTES - 10, 1);
    let address = first.as_ptr();
    let second = cut(&mut chunks, CHUNK_BYTES, 2);
    assert_ne!(second.as_ptr(), address);
    drop(first);
    let third = cut(&mut chunks, CHUNK_BYTES, 3);
    assert_eq!(third.as_ptr(), address);
    assert!(second == vec![2; CHUNK_BYTES]);
}

#[test]
fn chunks_that_a_slow_reader_held_are_freed() {
    let mut chunks = Chunks::default();
    let held: Vec<Bytes> = (0..8).map(|fill| cut(&mut chunks, CHUNK_BYTES - 1, fill)).collect();
    drop(held);
    let _newest = cut(&mut chunks, CHUNK_BYTES, 8);
    assert!(chunks.retired.len() <= 1, "{} chunks are kept", chunks.retired.len());
}

#[test]
fn more_than_a_chunk_gets_memory_of_its_own() {
    let mut chunks = Chunks::default();
    assert_eq!(cut(&mut chunks, CHUNK_BYTES + 1, 7), vec![7; CHUNK_BYTES + 1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Buffers keep their bytes for as long as somebody holds them, whatever is cut after them.
    #[test]
    fn a_buffer_never_changes(cuts in prop::collection::vec((1..CHUNK_BYTES + CHUNK_BYTES / 4, 0..4_usize), 1..24)) {
        let mut chunks = Chunks::default();
        let mut held: VecDeque<(u8, Bytes)> = VecDeque::new();
        for (number, (length, keep)) in cuts.into_iter().enumerate() {
            let fill = number as u8;
            held.push_back((fill, cut(&mut chunks, length, fill)));
            while held.len() > keep + 1 {
                let (fill, buffer) = held.pop_front().unwrap();
                prop_assert!(buffer == vec![fill; buffer.len()]);
            }
        }
        for (fill, buffer) in held {
            prop_assert!(buffer == vec![fill; buffer.len()]);
        }
    }
}
