//! Credentials in addresses reach the server, and nobody who looks at the processes of the machine.

use crate::stage::{Stage, git, place};
use std::fs;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::timeout;

/// Returns the arguments of all processes of the machine.
fn arguments() -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let arguments = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    arguments.map(|arguments| String::from_utf8_lossy(&arguments).replace('\0', " ")).collect()
}

#[tokio::test]
async fn credentials_are_sent_and_in_no_arguments() {
    let stage = Stage::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap();
    let skills = stage.skills();
    let source = git(&format!("http://me:s3%2Bcret@{host}/x"));
    let server = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(socket.read_u8().await.unwrap());
        }
        let seen = arguments();
        socket
            .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        (String::from_utf8(head).unwrap(), seen)
    };
    let both = async { tokio::join!(server, place(&stage, &skills, source)) };
    let ((head, seen), placed) = timeout(Duration::from_secs(30), both).await.unwrap();
    placed.unwrap_err();
    // me:s3+cret
    assert!(head.contains("Authorization: Basic bWU6czMrY3JldA==\r\n"), "{head}");
    let ours: Vec<&String> = seen.iter().filter(|arguments| arguments.contains(&host.to_string())).collect();
    assert!(ours.iter().any(|arguments| arguments.contains("remote-http")), "{seen:?}");
    for arguments in ours {
        let is_secret = ["s3", "bWU6czMrY3JldA", "me:"].iter().any(|part| arguments.contains(part));
        assert!(!is_secret, "{arguments}");
    }
}
