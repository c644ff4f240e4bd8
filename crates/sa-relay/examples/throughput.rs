//! How fast the relay alone is, on one core: `cargo run --release -p sa-relay --example throughput`.

use sa_journal::Ring;
use sa_relay::{Presence, Relay, RelayOptions};
use std::sync::Arc;
use std::time::Instant;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
/// Bytes of one read of an owner.
const PIECE: usize = 64 * KIB;
/// Bytes of one run; the best of some runs counts.
const TOTAL: usize = 256 * MIB;
const RUNS: usize = 7;

/// Returns a notification of so many bytes with its line end; `text` is what fills it, as JSON.
fn message(size: usize, text: &str) -> String {
    let head = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""#;
    let tail = "\"}}}}\n";
    let room = size.saturating_sub(head.len() + tail.len());
    let fill = text.repeat(room / text.len()) + &" ".repeat(room % text.len());
    format!("{head}{fill}{tail}")
}

/// Messages and bytes per second.
fn run(output: &[u8]) -> (f64, f64) {
    let options = RelayOptions {
        line_bytes: 64 * MIB,
        unparsed_bytes: 64 * KIB,
        pending_requests: 1024,
        asked_bytes: 64 * MIB,
    };
    let (mut relay, mut log) = (Relay::new(&options), Ring::new(64 * MIB));
    let around = Presence { has_post: &|_| true, has_socket: &|_| true, streams: 1 };
    let (mut messages, mut bytes) = (0, 0);
    let begin = Instant::now();
    while bytes < TOTAL {
        for piece in output.chunks(PIECE) {
            let output = relay.agent_data(piece, &around);
            messages += output.messages;
            bytes += piece.len();
            output.segment.into_iter().for_each(|segment| {
                log.append(Arc::new(segment));
            });
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    (messages as f64 / seconds, bytes as f64 / seconds)
}

fn main() {
    println!("{:>10}  {:>7}  {:>10}  {:>6}", "size", "text", "messages/s", "GB/s");
    for (name, text) in [("plain", "x"), ("code", r#"let x = \"y\";\n    call(x)?;\n"#)] {
        for size in [200, 4 * KIB, MIB, 16 * MIB] {
            let message = message(size, text);
            let output = message.repeat((4 * MIB).div_ceil(message.len()));
            let faster = |a: (f64, f64), b: (f64, f64)| if a < b { b } else { a };
            let best = (0..RUNS).map(|_| run(output.as_bytes())).fold((0.0, 0.0), faster);
            println!("{size:>10}  {name:>7}  {:>10.0}  {:>6.2}", best.0, best.1 / 1e9);
        }
    }
}
