//! Programs that fill the screen: a small one of our own, which runs everywhere, and real ones where they are installed.

use crate::api::{Api, Viewer};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::json;

/// Draws a frame along the edges of the terminal and draws it again when that is resized. It switches to the other
/// screen and hides the cursor, reads single keys without echo, and puts all back at its end.
const FRAME: &str = r#"
draw() {
    set -- $(stty size)
    printf '\033[2J\033[1;1H+ %sx%s\033[%s;1Hbottom' "$2" "$1" "$1"
}
saved=$(stty -g)
stty -echo -icanon min 0 time 1
printf '\033[?1049h\033[?25l'
trap draw WINCH
draw
while :; do
    key=$(dd bs=1 count=1 2>/dev/null)
    case "$key" in
        q) break ;;
        ?) printf '\033[2;1Hkey %s' "$key" ;;
    esac
done
printf '\033[?25h\033[?1049l'
stty "$saved"
echo restored
"#;

#[tokio::test]
async fn a_program_that_fills_the_screen_draws_reads_keys_and_is_resized() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.script(FRAME, json!({"tty": true, "cols": 40, "rows": 10})).await?;
    let mut viewer = Viewer::connect(api.terminal(&id, "")).await?;
    viewer.until("\u{1b}[?1049h").await?;
    viewer.until("+ 40x10\u{1b}[10;1Hbottom").await?;
    viewer.send(json!({"type": "input", "data": "k"})).await?;
    viewer.until("\u{1b}[2;1Hkey k").await?;
    viewer.send(json!({"type": "resize", "cols": 72, "rows": 20})).await?;
    viewer.until("+ 72x20\u{1b}[20;1Hbottom").await?;
    let mut late = Viewer::connect(api.terminal(&id, "")).await?;
    late.until("+ 72x20").await?;
    assert!(late.text().starts_with("\u{1b}[?1049h"), "all that the screen is made of: {:?}", late.text());
    late.send(json!({"type": "input", "data": "q"})).await?;
    assert_eq!(viewer.end().await?["exitCode"], 0);
    assert!(viewer.text().ends_with("\u{1b}[?1049lrestored\r\n"), "{:?}", viewer.text());
    Ok(())
}

/// Returns the path of a program, if it is installed. Its test passes with a note when it is not.
fn installed(program: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
    if found.is_none() {
        eprintln!("skipped: {program} is not installed");
    }
    found
}

#[tokio::test]
async fn vim_edits_a_file() -> Result<()> {
    let Some(vim) = installed("vim") else { return Ok(()) };
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let file = daemon.sandbox().path("edited.txt");
    let body = json!({
        "command": vim, "args": ["-u", "NONE", "-N", "-n", file], "tty": true, "cols": 60, "rows": 12,
    });
    let id = api.create(body).await?;
    let mut viewer = Viewer::connect(api.terminal(&id, "")).await?;
    viewer.until("\u{1b}[?1049h").await?;
    viewer.until("~").await?;
    viewer.send(json!({"type": "resize", "cols": 90, "rows": 40})).await?;
    viewer.until("\u{1b}[39;1H").await?;
    viewer.send(json!({"type": "input", "data": "iwritten on a terminal\u{1b}"})).await?;
    viewer.until("written on a terminal").await?;
    viewer.send(json!({"type": "input", "data": ":wq\r"})).await?;
    assert_eq!(viewer.end().await?["exitCode"], 0, "{:?}", viewer.text());
    assert!(viewer.text().contains("\u{1b}[?1049l"));
    assert_eq!(std::fs::read_to_string(file)?, "written on a terminal\n");
    Ok(())
}

#[tokio::test]
async fn top_draws_and_ends_by_its_key() -> Result<()> {
    let Some(top) = installed("top") else { return Ok(()) };
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.create(json!({"command": top, "tty": true, "cols": 100, "rows": 30})).await?;
    let mut viewer = Viewer::connect(api.terminal(&id, "")).await?;
    viewer.until("PID").await?;
    assert!(viewer.text().contains("\u{1b}["), "{:?}", viewer.text());
    viewer.send(json!({"type": "input", "data": "q"})).await?;
    assert_eq!(viewer.end().await?["exitCode"], 0);
    Ok(())
}
