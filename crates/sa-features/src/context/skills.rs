//! Skills: from a directory with the request, from a repository by the configuration of the directory.

use super::scene::Scene;
use crate::script::say;
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use sa_testkit::{Finished, Sandbox};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// The skill that the agent's model has to know.
const LANTERN: &str = "Lights the lantern of the old harbour";
const ANCHOR: &str = "Weighs the anchor of the first version";

/// Skills that it must not know: another version, another directory of the repository, another skill of the
/// directory.
const OTHERS: [&str; 3] = ["Loses the anchor later on", "Flies a kite elsewhere", "Sinks the boat unasked"];

pub(super) async fn arrive(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    let sandbox = scene.daemon.sandbox();
    let library = sandbox.path("library");
    write_skill(&library.join("tools/lantern"), "lantern", LANTERN)?;
    write_skill(&library.join("tools/boat"), "boat", OTHERS[2])?;
    let repository = repository(&sandbox).await?;
    let source = json!({ "type": "git", "source": repository, "ref": "v1", "subpath": "kits" });
    scene.configure(("skills", "skillName"), "harbour", &json!({ "sources": [source] })).await?;
    let source = json!({ "type": "local", "source": library, "skills": ["lantern"] });
    scene.make("sailor", json!({ "skills": { "lights": { "sources": [source] } } })).await?;
    scene.turn("sailor", &say("Ahoy.")).await?;
    let requests = scene.told("Ahoy.");
    ensure!(!requests.is_empty(), "the model is asked");
    for (name, description) in [("lantern", LANTERN), ("anchor", ANCHOR)] {
        let known = requests.iter().map(|request| request.body.to_string());
        let known = known.filter(|body| body.contains(name) && body.contains(description)).count();
        ensure!(known > 0, "{} does not know {name}; placed: {:?}", subject.name, placed(&scene.project));
    }
    for description in OTHERS {
        ensure!(scene.told(description).is_empty(), "nobody asked for: {description}");
    }
    Ok(())
}

fn write_skill(folder: &Path, name: &str, description: &str) -> Result<()> {
    fs::create_dir_all(folder)?;
    let text = format!("---\nname: {name}\ndescription: {description}\n---\nDo so.\n");
    fs::write(folder.join("SKILL.md"), text).with_context(|| format!("writing {name}"))
}

/// Returns a repository with two versions, of which the first has a tag.
async fn repository(sandbox: &Sandbox) -> Result<PathBuf> {
    let root = sandbox.path("harbour");
    write_skill(&root.join("kits/anchor"), "anchor", ANCHOR)?;
    write_skill(&root.join("more/kite"), "kite", OTHERS[1])?;
    git(sandbox, &root, &["init", "--quiet"]).await?;
    commit(sandbox, &root).await?;
    git(sandbox, &root, &["tag", "v1"]).await?;
    write_skill(&root.join("kits/anchor"), "anchor", OTHERS[0])?;
    commit(sandbox, &root).await?;
    Ok(root)
}

async fn commit(sandbox: &Sandbox, root: &Path) -> Result<()> {
    git(sandbox, root, &["add", "."]).await?;
    let who = ["-c", "user.name=Suite", "-c", "user.email=suite@localhost"];
    git(sandbox, root, &[&who[..], &["commit", "--quiet", "--message", "A version"]].concat()).await
}

async fn git(sandbox: &Sandbox, root: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = sandbox.command("git");
    command.args(arguments).current_dir(root);
    let ended = Finished::wait(command).await?;
    ensure!(ended.status.success(), "git {arguments:?}: {ended}");
    Ok(())
}

/// Returns the skills that stand in the project, wherever that is.
fn placed(project: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let skills = entries(project).into_iter().map(|folder| folder.join("skills"));
    skills.flat_map(|folder| entries(&folder)).collect()
}
