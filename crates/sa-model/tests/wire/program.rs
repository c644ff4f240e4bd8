//! The program that people start.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

#[test]
fn it_says_where_it_listens_and_how_to_get_there() {
    let mut program =
        Command::new(env!("CARGO_BIN_EXE_sa-model")).arg("--port=0").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines().map(Result::unwrap);
    let url = lines.next().unwrap().strip_prefix("listening on ").unwrap().to_owned();
    let hints: Vec<String> = lines.by_ref().take_while(|line| !line.contains("/_model/requests")).collect();
    assert!(
        hints.contains(&format!("claude    ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=scripted claude")),
        "{hints:?}"
    );

    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    program.kill().unwrap();
    program.wait().unwrap();
}
