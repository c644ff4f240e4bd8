//! The stage: a directory to work in, a home for the cache, repositories made with the git program, web servers.

use sa_api::{SkillSource, SkillsConfig};
use sa_skills::{Skills, SkillsError, SkillsOptions};
use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub(crate) struct Stage {
    root: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let stage = Self { root: tempfile::tempdir().unwrap() };
        for directory in ["project", "user"] {
            fs::create_dir(stage.path(directory)).unwrap();
        }
        stage
    }

    pub(crate) fn path(&self, inner: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(inner)
    }

    pub(crate) fn cwd(&self) -> PathBuf {
        self.path("project")
    }

    pub(crate) fn skills(&self) -> Skills {
        self.skills_with(SkillsOptions::default())
    }

    pub(crate) fn skills_with(&self, options: SkillsOptions) -> Skills {
        let supervisor = Supervisor::start(SupervisorOptions {
            env: BaseEnv::Inherit(self.environment()),
            guardian: None,
        });
        Skills::with_options(self.path("home"), supervisor.unwrap(), options)
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::var_os("PATH").unwrap();
        let user = self.path("user").into_os_string();
        vec![("PATH".into(), path), ("HOME".into(), user)]
    }

    pub(crate) fn write(&self, inner: &str, text: &str) {
        let path = self.path(inner);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A skill of that name in a directory of that name.
    pub(crate) fn skill(&self, parent: &str, name: &str) {
        let text = format!("---\nname: {name}\ndescription: does {name}\n---\nDo it.\n");
        self.write(&format!("{parent}/{name}/SKILL.md"), &text);
    }

    pub(crate) fn git(&self, repository: &str, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.env_clear().envs(self.environment()).current_dir(self.path(repository));
        for setting in [
            "user.name=A",
            "user.email=a@example.org",
            "init.defaultBranch=main",
            "protocol.ext.allow=always",
        ] {
            command.args(["-c", setting]);
        }
        let output = command.args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Returns a repository with these skills in `skills/`, committed on `main`.
    pub(crate) fn repository(&self, name: &str, skills: &[&str]) -> String {
        fs::create_dir_all(self.path(name)).unwrap();
        self.git(name, &["init", "--quiet"]);
        for skill in skills {
            self.skill(&format!("{name}/skills"), skill);
        }
        self.commit(name);
        format!("file://{}", self.path(name).display())
    }

    pub(crate) fn commit(&self, repository: &str) -> String {
        self.git(repository, &["add", "--all"]);
        self.git(repository, &["commit", "--quiet", "--allow-empty", "--message", "x"]);
        self.git(repository, &["rev-parse", "HEAD"])
    }

    /// Returns the names in a directory of the project.
    pub(crate) fn placed(&self, inner: &str) -> Vec<String> {
        names(&self.cwd().join(inner))
    }
}

pub(crate) fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn local(path: &str) -> SkillSource {
    SkillSource { kind: "local".to_owned(), source: path.to_owned(), ..SkillSource::default() }
}

pub(crate) fn git(address: &str) -> SkillSource {
    SkillSource { kind: "git".to_owned(), source: address.to_owned(), ..SkillSource::default() }
}

pub(crate) fn at(reference: &str, source: SkillSource) -> SkillSource {
    SkillSource { reference: Some(reference.to_owned()), ..source }
}

pub(crate) fn below(subpath: &str, source: SkillSource) -> SkillSource {
    SkillSource { subpath: Some(subpath.to_owned()), ..source }
}

pub(crate) fn only(names: &[&str], source: SkillSource) -> SkillSource {
    SkillSource { skills: Some(names.iter().map(|name| (*name).to_owned()).collect()), ..source }
}

pub(crate) fn set(sources: Vec<SkillSource>) -> BTreeMap<String, SkillsConfig> {
    BTreeMap::from([("team".to_owned(), SkillsConfig { sources, ..SkillsConfig::default() })])
}

/// Places one source for Claude Code, always for the same session.
pub(crate) async fn place(
    stage: &Stage,
    skills: &Skills,
    source: SkillSource,
) -> Result<Vec<String>, SkillsError> {
    Ok(skills.place_for("s", "claude", &stage.cwd(), &set(vec![source])).await?.warnings)
}

/// The reaction of a web server to a request.
#[derive(Clone)]
pub(crate) enum Answer {
    File(PathBuf),
    Head(&'static str),
    Silence,
}

/// Returns a web server on loopback: its address, and how many requests it had.
pub(crate) async fn web_server(answer: Answer) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&requests);
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            counter.fetch_add(1, Ordering::SeqCst);
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let Ok(byte) = socket.read_u8().await else { return };
                    head.push(byte);
                }
                let head = String::from_utf8(head).unwrap();
                let path = head.split(' ').nth(1).unwrap().split('?').next().unwrap().to_owned();
                let reply = match &answer {
                    Answer::File(root) => match fs::read(root.join(path.trim_start_matches('/'))) {
                        Ok(body) => {
                            let mut reply = format!(
                                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                                body.len()
                            )
                            .into_bytes();
                            reply.extend(body);
                            reply
                        }
                        Err(_) => b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                            .to_vec(),
                    },
                    Answer::Head(head) => head.as_bytes().to_vec(),
                    Answer::Silence => std::future::pending().await,
                };
                let _ = socket.write_all(&reply).await;
            });
        }
    });
    (address, requests)
}
