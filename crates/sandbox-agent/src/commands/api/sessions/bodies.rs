//! Bodies of requests, made of flags.

use crate::args::{CreateArgs, DecideArgs, PatchArgs, SendArgs};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use anyhow::Context;
use sa_api::sessions::{AllowRule, CreateSession, Delivery, PermissionReply, PostMessage, SessionPatch};
use serde::de::DeserializeOwned;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// Name under which the CLI decides on questions and permissions.
pub(crate) const CLIENT: &str = "sandbox-agent CLI";

/// Text that a flag holds, read as JSON. It is read as bytes, as answers are, so that there is one reader of each type.
pub(super) fn parse<T: DeserializeOwned>(flag: &str, json: &str) -> Result<T, Failure> {
    serde_json::from_slice(json.as_bytes())
        .map_err(|error| Failure::usage(format!("{flag}: invalid JSON: {error}")))
}

pub(super) fn create(args: CreateArgs) -> Result<CreateSession, Failure> {
    let mut body: CreateSession = match &args.file {
        Some(path) => parse(&format!("{}", path.display()), &read_file(path)?)?,
        None => CreateSession::default(),
    };
    if let Some(agent) = args.agent {
        body.agent = agent;
    }
    if let Some(json) = &args.metadata {
        body.metadata = parse("--metadata", json)?;
    }
    args.choices.apply(&mut body);
    body.token = args.agent_token.or(body.token);
    body.validate_token |= args.validate_token;
    body.agent_version = args.agent_version.or(body.agent_version);
    body.cwd = args.cwd.or(body.cwd);
    body.title = args.title.or(body.title);
    body.env.extend(args.env);
    Ok(body)
}

pub(super) fn patch(args: PatchArgs) -> Result<SessionPatch, Failure> {
    let patch = SessionPatch {
        title: args.title,
        metadata: args.metadata.as_deref().map(|json| parse("--metadata", json)).transpose()?,
        token: args.agent_token,
        env: (!args.env.is_empty()).then(|| args.env.into_iter().collect()),
        ..args.choices.into_patch()
    };
    if patch == SessionPatch::default() {
        return Err(Failure::usage("there is nothing to change; see --help"));
    }
    Ok(patch)
}

pub(super) fn message(args: &SendArgs) -> Result<PostMessage, Failure> {
    let parts = args.parts.as_deref().map(|json| parse("--parts", json)).transpose()?;
    let message = match (&args.message, &parts) {
        (Some(text), _) => Some(text.clone()),
        (None, Some(_)) => None,
        (None, None) => Some(read_text("the message")?),
    };
    let delivery = if args.interrupt { Delivery::Interrupt } else { Delivery::Queue };
    Ok(PostMessage { message, parts, delivery })
}

pub(super) fn decision(args: DecideArgs) -> PermissionReply {
    let rule = args.rule_tool.map(|tool| AllowRule { tool, input: args.rule_input });
    let client = Some(CLIENT.to_owned());
    PermissionReply { reply: args.reply, option_id: args.option_id, message: args.message, rule, client }
}

/// Everything on standard input.
pub(crate) fn read_text(what: &str) -> Result<String, Failure> {
    let mut text = String::new();
    if io::stdin().is_terminal() {
        diagnose!("reading {what} from the terminal; end it with Ctrl-D");
    }
    io::stdin()
        .read_to_string(&mut text)
        .with_context(|| format!("cannot read {what} from standard input"))?;
    Ok(text)
}

fn read_file(path: &Path) -> Result<String, Failure> {
    if path == Path::new("-") {
        return read_text("the body");
    }
    Ok(std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?)
}
