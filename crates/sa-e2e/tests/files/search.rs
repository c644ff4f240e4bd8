//! Searching names and contents.

use crate::fs::{Fs, encode};
use anyhow::Result;
use serde_json::Value;
use std::os::unix::fs::symlink;

impl Fs {
    async fn search(&self, query: &str) -> Result<Value> {
        let address = format!("/v1/fs/search?{query}");
        self.daemon.http().get(&address).send().await?.expect_status(200)?.json()
    }

    /// Paths from the workspace, and line numbers where there are some.
    fn found(&self, answer: &Value) -> Vec<String> {
        let home = format!("{}/", self.home.display());
        let name = |found: &Value| {
            let path = found["path"].as_str().unwrap().replace(&home, "");
            found["line"].as_u64().map_or(path.clone(), |line| format!("{path}:{line}"))
        };
        answer["matches"].as_array().unwrap().iter().map(name).collect()
    }
}

async fn repository() -> Result<Fs> {
    let fs = Fs::start().await?;
    for (name, text) in [
        ("r/.git/HEAD", "ref: needle"),
        ("r/.gitignore", "/build\n*.tmp\n!keep.tmp\n"),
        ("r/src/main.rs", "fn main() {\n    needle();\n}\n"),
        ("r/src/deep/lib.rs", "// Needle\r\nfn needle() {}\n"),
        ("r/src/deep/.gitignore", "hidden.rs\n"),
        ("r/src/deep/hidden.rs", "needle\n"),
        ("r/README.md", "a.c and abc\n"),
        ("r/build/out.rs", "needle\n"),
        ("r/x.tmp", "needle\n"),
        ("r/keep.tmp", "needle\n"),
        ("r/.github/ci.yml", "needle: true\n"),
    ] {
        let path = fs.path(name);
        std::fs::create_dir_all(path.parent().unwrap())?;
        std::fs::write(path, text)?;
    }
    std::fs::write(fs.path("r/binary"), b"needle\0needle\n")?;
    symlink(fs.path("r"), fs.path("r/src/loop"))?;
    Ok(fs)
}

#[tokio::test]
async fn names_are_found_as_git_sees_the_directory() -> Result<()> {
    let fs = repository().await?;
    let answer = fs.search("path=r&name=*.rs").await?;
    assert_eq!(fs.found(&answer), ["r/src/deep/lib.rs", "r/src/main.rs"]);
    assert_eq!(answer.get("next"), None);
    assert_eq!(answer["matches"][0]["entryType"], "file");
    let deep = fs.search(&format!("path=r&name={}", encode("src/**/*.rs"))).await?;
    assert_eq!(fs.found(&deep), ["r/src/deep/lib.rs", "r/src/main.rs"]);
    // Rules of directories above count as well.
    assert_eq!(fs.found(&fs.search("path=r/src/deep&name=*.rs").await?), ["r/src/deep/lib.rs"]);
    let all = fs.search("path=r&name=*.RS&ignored=true&ignoreCase=true").await?;
    assert_eq!(fs.found(&all).len(), 4);
    assert_eq!(fs.found(&fs.search("path=r&name=loop").await?), ["r/src/loop"]);
    Ok(())
}

#[tokio::test]
async fn lines_are_found_with_their_place() -> Result<()> {
    let fs = repository().await?;
    let answer = fs.search("path=r&content=needle").await?;
    let expected = ["r/.github/ci.yml:1", "r/keep.tmp:1", "r/src/deep/lib.rs:2", "r/src/main.rs:2"];
    assert_eq!(fs.found(&answer), expected);
    let line = &answer["matches"][3];
    assert_eq!((line["column"].as_u64(), line["text"].as_str()), (Some(5), Some("    needle();")));
    let any_case = fs.search("path=r&content=needle&ignoreCase=true&name=lib.rs").await?;
    assert_eq!(fs.found(&any_case), ["r/src/deep/lib.rs:1", "r/src/deep/lib.rs:2"]);
    assert_eq!(any_case["matches"][0]["text"], "// Needle");
    let literal = fs.search("path=r&content=a.c&literal=true").await?;
    assert_eq!(literal["matches"][0]["column"], 1);
    assert_eq!(fs.found(&literal).len(), 1);
    assert_eq!(fs.found(&fs.search(&format!("path=r&content={}", encode("^fn \\w+"))).await?).len(), 2);
    Ok(())
}

#[tokio::test]
async fn a_search_goes_on_where_the_last_one_stopped() -> Result<()> {
    let fs = Fs::with_limits("search-entries = 7").await?;
    let mut expected = Vec::new();
    for directory in ["a", "a-b", "a/b", "c"] {
        std::fs::create_dir_all(fs.path("s").join(directory))?;
        for number in 0..5 {
            let name = format!("s/{directory}/f{number}");
            std::fs::write(fs.path(&name), "one\none\n")?;
            expected.push(name);
        }
    }
    let (mut seen, mut after) = (Vec::new(), None::<String>);
    for _ in 0..40 {
        let after_text = after.as_ref().map_or(String::new(), |after| format!("&after={}", encode(after)));
        let answer = fs.search(&format!("path=s&name=f*&limit=3{after_text}")).await?;
        seen.extend(fs.found(&answer));
        after = answer["next"].as_str().map(str::to_owned);
        if after.is_none() {
            break;
        }
    }
    seen.sort();
    expected.sort();
    assert_eq!(seen, expected);
    let cut = fs.search("path=s/c&content=one&limit=1").await?;
    assert_eq!(
        (fs.found(&cut), &cut["matches"][0]["more"]),
        (vec!["s/c/f0:1".to_owned()], &Value::Bool(true))
    );
    Ok(())
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_what_cannot_be_read_is_counted() -> Result<()> {
    let fs = Fs::with_limits("search-line-bytes = 100000").await?;
    std::fs::create_dir(fs.path("s"))?;
    std::fs::write(fs.path("s/long"), vec![b'x'; 1_000_000])?;
    std::fs::write(fs.path("s/short"), "x")?;
    let answer = fs.search("path=s&content=x").await?;
    assert_eq!((fs.found(&answer), &answer["skipped"]), (vec!["s/short:1".to_owned()], &Value::from(1)));
    for query in ["name=%5B", "content=%28", "limit=x", "ignored=maybe"] {
        let reply = fs.daemon.http().get(&format!("/v1/fs/search?{query}")).send().await?;
        reply.expect_problem(400, "invalid_request")?;
    }
    fs.get("search", "none").send().await?.expect_problem(404, "not_found")?;
    fs.get("search", "s/short").send().await?.expect_problem(409, "conflict")?;
    let none = Fs::with_limits("searches = 0").await?;
    none.get("search", ".").send().await?.expect_problem(429, "too_many_requests")?;
    Ok(())
}
