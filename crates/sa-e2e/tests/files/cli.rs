//! `sandbox-agent api fs …`.

use crate::fs::Fs;
use anyhow::Result;
use sa_testkit::{Finished, daemon_path};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

impl Fs {
    fn command(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = self.daemon.sandbox().command(daemon_path()?);
        command.env("SANDBOX_AGENT_ENDPOINT", self.daemon.base_url());
        command.env("SANDBOX_AGENT_TOKEN", self.daemon.token().unwrap_or_default());
        command.args(["api", "fs"]).args(arguments);
        Ok(command)
    }

    /// Returns the output of a command that must succeed.
    async fn cli(&self, arguments: &[&str]) -> Result<String> {
        let ended = Finished::wait(self.command(arguments)?).await?;
        assert!(ended.status.success(), "{arguments:?}: {ended}");
        Ok(ended.stdout)
    }

    /// Returns the complaint of a command that must fail.
    async fn fails(&self, arguments: &[&str]) -> Result<String> {
        let ended = Finished::wait(self.command(arguments)?).await?;
        assert_eq!(ended.status.code(), Some(1), "{arguments:?}: {ended}");
        Ok(ended.stderr)
    }
}

#[tokio::test]
async fn files_go_there_and_back() -> Result<()> {
    let fs = Fs::start().await?;
    let bytes: Vec<u8> = (0..=255).cycle().take(1_000_000).collect();
    let local = fs.daemon.sandbox().path("local.bin");
    std::fs::write(&local, &bytes)?;
    let said = fs.cli(&["put", "w/remote.bin", local.to_str().unwrap(), "--mode", "600"]).await?;
    assert_eq!(said.trim(), format!("1000000 bytes to {}", fs.path("w/remote.bin").display()));
    let back = fs.daemon.sandbox().path("back.bin");
    fs.cli(&["get", "w/remote.bin", back.to_str().unwrap()]).await?;
    assert_eq!(std::fs::read(&back)?, bytes);
    std::fs::write(fs.path("w/text"), "0123456789")?;
    assert_eq!(fs.cli(&["get", "w/text"]).await?, "0123456789");
    assert_eq!(fs.cli(&["get", "w/text", "--range", "-3"]).await?, "789");
    let (reader, mut writer) = std::io::pipe()?;
    writer.write_all(b"from a pipe")?;
    drop(writer);
    let mut command = fs.command(&["put", "w/piped", "--if-none-match", "*"])?;
    command.stdin(reader);
    assert!(Finished::wait(command).await?.status.success());
    assert_eq!(std::fs::read_to_string(fs.path("w/piped"))?, "from a pipe");
    let again = fs.fails(&["put", "w/piped", local.to_str().unwrap(), "--if-none-match", "*"]).await?;
    assert!(again.contains("412"), "{again}");
    let missing = fs.fails(&["get", "none", fs.daemon.sandbox().path("x").to_str().unwrap()]).await?;
    assert!(missing.contains("404") && !fs.daemon.sandbox().path("x").exists(), "{missing}");
    Ok(())
}

#[tokio::test]
async fn entries_are_listed_described_made_moved_and_removed() -> Result<()> {
    let fs = Fs::start().await?;
    fs.cli(&["mkdir", "w/a/b"]).await?;
    std::fs::write(fs.path("w/file"), "12345")?;
    std::os::unix::fs::symlink("file", fs.path("w/link"))?;
    let listing = fs.cli(&["ls", "w"]).await?;
    let lines: Vec<&str> = listing.lines().collect();
    assert!(
        lines[0].starts_with("MODE") && lines[1].starts_with('d') && lines[1].ends_with("  a"),
        "{listing}"
    );
    assert!(lines[2].contains("  5 ") && lines[3].ends_with("link -> file"), "{listing}");
    let json: Value = serde_json::from_str(&fs.cli(&["ls", "w", "--json", "--limit", "1"]).await?)?;
    assert_eq!((json.as_array().unwrap().len(), json[0]["name"].as_str()), (1, Some("a")));
    let head = fs.cli(&["head", "w/file"]).await?;
    assert!(head.contains("size      5\n") && head.contains("etag") && head.contains("GMT"), "{head}");
    let stat = fs.cli(&["stat", "w/link", "--follow"]).await?;
    assert!(stat.contains("type      file") && stat.contains("etag"), "{stat}");
    fs.cli(&["mv", "w/file", "w/moved"]).await?;
    assert!(fs.fails(&["mv", "w/moved", "w/a"]).await?.contains("exists"));
    assert!(fs.fails(&["rm", "w"]).await?.contains("not empty"));
    fs.cli(&["rm", "-r", "w"]).await?;
    assert_eq!(fs.names("."), ["data"]);
    Ok(())
}

#[tokio::test]
async fn a_listing_is_complete_in_however_many_pages_it_comes() -> Result<()> {
    let fs = Fs::with_limits("listed-entries = 7").await?;
    std::fs::create_dir(fs.path("w"))?;
    for number in 10..40 {
        std::fs::write(fs.path(format!("w/{number} ü&?")), "")?;
    }
    let names = async |arguments: &[&str]| {
        let json: Value = serde_json::from_str(&fs.cli(arguments).await?)?;
        let names = json.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_owned());
        anyhow::Ok(names.collect::<Vec<_>>())
    };
    assert_eq!(names(&["ls", "w", "--json"]).await?, fs.names("w"));
    assert_eq!(names(&["ls", "w", "--json", "--limit", "20"]).await?, fs.names("w")[..20]);
    assert_eq!(names(&["ls", "w", "--json", "--after", "38 ü&?"]).await?, ["39 ü&?"]);
    Ok(())
}

#[tokio::test]
async fn directories_go_there_and_back() -> Result<()> {
    let fs = Fs::start().await?;
    let local = fs.daemon.sandbox().path("project");
    std::fs::create_dir_all(local.join("src/deep"))?;
    std::fs::write(local.join("src/deep/main.rs"), "fn main() {}")?;
    std::fs::write(local.join("large"), vec![1; 700_000])?;
    std::os::unix::fs::symlink("src", local.join("link"))?;
    let said = fs.cli(&["upload", local.to_str().unwrap(), "w"]).await?;
    assert!(said.contains("700012 bytes"), "{said}");
    let same = |other: &std::path::Path| {
        Command::new("diff")
            .args(["-r", "--no-dereference"])
            .arg(&local)
            .arg(other)
            .status()
            .unwrap()
            .success()
    };
    assert!(same(&fs.path("w")));
    for (name, flags) in [("plain", &[][..]), ("zipped", &["--gzip"])] {
        let back = fs.daemon.sandbox().path(name);
        fs.cli(&[&["download", "w", back.to_str().unwrap()], flags].concat()).await?;
        assert!(same(&back), "{name}");
    }
    let archive = fs.daemon.sandbox().path("w.tar.gz");
    fs.cli(&["download", "w", archive.to_str().unwrap(), "--archive", "--gzip"]).await?;
    fs.cli(&["upload", archive.to_str().unwrap(), "again"]).await?;
    assert!(same(&fs.path("again")));
    Ok(())
}

#[tokio::test]
async fn searches_and_changes_are_printed_as_lines() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::create_dir(fs.path("w"))?;
    std::fs::write(fs.path("w/a.txt"), "one\ntwo needle\n")?;
    let found = fs.cli(&["search", "w", "--content", "needle"]).await?;
    assert_eq!(found.trim(), format!("{}:2:5: two needle", fs.path("w/a.txt").display()));
    let names = fs.cli(&["search", "w", "--name", "*.txt"]).await?;
    assert_eq!(names.trim(), fs.path("w/a.txt").to_str().unwrap());
    let mut watching = fs.command(&["watch", "w", "--json"])?.stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["event"], "ready");
    std::fs::write(fs.path("w/b.txt"), "x")?;
    let change = next();
    assert_eq!(
        (&change["event"], &change["data"]["kind"]),
        (&Value::from("change"), &Value::from("created"))
    );
    watching.kill()?;
    watching.wait()?;
    Ok(())
}
