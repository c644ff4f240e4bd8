//! The HTTP client against the HTTP floor, and against a server that misbehaves; all real sockets.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use sa_bench::{Connection, Progress, Readiness, Tally};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

struct Floor {
    child: Child,
    address: SocketAddr,
}

impl Floor {
    fn start() -> Self {
        let mut child =
            Command::new(env!("CARGO_BIN_EXE_sa-bench")).arg("floor").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap().parse().unwrap();
        Self { child, address }
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn post(body: &str) -> Vec<u8> {
    format!("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[test]
fn one_connection_serves_many_requests() {
    let floor = Floor::start();
    let mut connection = Connection::open(floor.address).unwrap();
    let mut scratch = [0; 64];
    for body in ["one", &"long".repeat(5_000), "three"] {
        let answer = connection.exchange(&post(body), &mut scratch).unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (200, body.as_bytes()));
    }
    let answer = connection.exchange(b"GET /none HTTP/1.1\r\nhost: x\r\n\r\n", &mut scratch).unwrap();
    assert_eq!(answer.status, 404);
}

#[test]
fn every_message_of_a_chunked_stream_is_counted() {
    let floor = Floor::start();
    for (count, size, batch) in [(3_000, 200, 1), (3_000, 200, 100), (20, 1 << 20, 1)] {
        let mut connection = Connection::open(floor.address).unwrap();
        let mut scratch = vec![0; 30_011];
        let path = format!("GET /stream?count={count}&size={size}&batch={batch} HTTP/1.1\r\nhost: x\r\n\r\n");
        connection.send(path.as_bytes()).unwrap();
        let mut tally = Tally::new(1);
        assert_eq!(connection.head(&mut scratch, |part| tally.push(part)).unwrap(), 200);
        while connection.read(&mut scratch, |part| tally.push(part)).unwrap() == Progress::Open {}
        assert_eq!((tally.received(), tally.last_id()), (count, Some(1_000_000)));
    }
}

#[test]
fn readiness_names_the_connections_that_have_something_to_read() {
    let floor = Floor::start();
    let mut scratch = [0; 1024];
    let mut connections: Vec<_> = (0..3).map(|_| Connection::open(floor.address).unwrap()).collect();
    let mut set = Readiness::over(&connections).unwrap();
    let mut ready = Vec::new();
    set.wait(Duration::ZERO, &mut ready).unwrap();
    assert!(ready.is_empty());
    connections[1].send(&post("x")).unwrap();
    set.wait(Duration::from_secs(10), &mut ready).unwrap();
    assert_eq!(ready, [1]);
    assert_eq!(connections[1].finish(&mut scratch).unwrap().body, b"x");
}

#[test]
fn a_response_cut_short_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.read_exact(&mut [0; 1]).unwrap();
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf").unwrap();
    });
    let mut connection = Connection::open(address).unwrap();
    let error = connection.exchange(b"G", &mut [0; 64]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
    server.join().unwrap();
}
