//! The token in everything that leaves the daemon or stays on its disk: deliveries, telemetry, exports, files, errors.

use anyhow::{Context, Result};
use sa_e2e::poll;
use sa_testkit::Daemon;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const SECRET: &str = "s3cret-token-0123456789";

/// A server that accepts every POST and keeps all bytes that it was sent.
struct Sink {
    url: String,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Sink {
    async fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let received: Arc<Mutex<Vec<u8>>> = Arc::default();
        let kept = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let kept = Arc::clone(&kept);
                tokio::spawn(async move {
                    let mut piece = vec![0; 1 << 16];
                    let mut all = Vec::new();
                    while let Ok(read @ 1..) = stream.read(&mut piece).await {
                        all.extend_from_slice(&piece[..read]);
                        kept.lock().unwrap().extend_from_slice(&piece[..read]);
                        if is_complete(&all) {
                            all.clear();
                            let _gone =
                                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
                        }
                    }
                });
            }
        });
        Ok(Self { url, received })
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.received.lock().unwrap()).into_owned()
    }
}

/// Returns whether these bytes are a head and as much of a body as it says.
fn is_complete(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    bytes.len() >= head.len() + 4 + length
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[tokio::test]
async fn nothing_that_leaves_the_daemon_has_the_token() -> Result<()> {
    let (hooks, collector) = (Sink::start().await?, Sink::start().await?);
    let mut daemon = Daemon::builder()
        .token_unsaid()
        .env("SANDBOX_AGENT_TOKEN", SECRET)
        .arg("--otlp-endpoint")
        .arg(&collector.url)
        .arg("--otlp-content")
        .env("OTEL_METRIC_EXPORT_INTERVAL", "100")
        .start()
        .await?;
    let http = daemon.http().with_token(Some(SECRET));
    let body = json!({"agent": "demo", "webhook": {"url": hooks.url}, "permissionMode": "bypass"});
    http.post("/v1/sessions/s").json(body.to_string()).send().await?.expect_status(201)?;
    let said = json!({"message": "run env"}).to_string();
    http.post("/v1/sessions/s/messages/stream").json(said).send().await?.expect_status(200)?;
    let run =
        json!({"command": "sh", "args": ["-c", "env; cat /proc/$PPID/cmdline; ps ax 2>/dev/null; true"]});
    let run = http.post("/v1/processes/run").json(run.to_string()).send().await?.expect_status(200)?;
    let export = http.get("/v1/sessions/s/export").send().await?.expect_status(200)?;
    let failures = [
        http.get("/v1/sessions/none").send().await?,
        http.post("/v1/sessions/s").json("{").send().await?,
        http.post("/v1/processes/run").json(json!({"command": "/none"}).to_string()).send().await?,
        http.get(&format!("/v1/fs/file?path={SECRET}-not")).header("x-a", SECRET).send().await?,
    ];
    poll("deliveries", async || Ok(hooks.text().contains("turnEnded").then_some(()))).await?;
    poll("telemetry", async || Ok(collector.text().contains("/v1/traces").then_some(()))).await?;
    assert!(daemon.stop().await?.status.success());
    let mut seen = vec![
        ("webhooks", hooks.text()),
        ("telemetry", collector.text()),
        ("a command", run.text()),
        ("an export", export.text()),
        ("the log", daemon.stderr() + &daemon.stdout()),
    ];
    // The last one names a file that the client chose itself.
    seen.extend(failures[..3].iter().map(|reply| ("an error", reply.text())));
    for (place, text) in seen {
        assert!(!text.is_empty(), "{place} was not seen");
        let leak = text.lines().find(|line| line.contains(SECRET));
        assert_eq!(leak, None, "in {place}");
    }
    let home = daemon.sandbox().home().to_owned();
    let kept = [files(&home), files(&daemon.sandbox().data_home())].concat();
    assert!(kept.len() > 1, "{kept:?}");
    for file in kept {
        let bytes = std::fs::read(&file).with_context(|| file.display().to_string())?;
        assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{}", file.display());
    }
    Ok(())
}

#[tokio::test]
async fn a_token_from_a_file_or_the_environment_is_in_no_list_of_processes() -> Result<()> {
    let daemon = Daemon::builder().token_unsaid().env("SANDBOX_AGENT_TOKEN", SECRET).start().await?;
    let arguments = std::fs::read(format!("/proc/{}/cmdline", daemon.pid()))?;
    assert!(!String::from_utf8_lossy(&arguments).contains(SECRET));
    Ok(())
}
