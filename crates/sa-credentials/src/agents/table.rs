//! The agents that take a key from a variable or keep one login in one file of JSON, as data.

use crate::search::{Search, Unit};
use crate::{Credential, Kind, Origin, Platform, Secret, Variable};

/// A place where an agent looks.
enum CredentialPlace {
    Variable { name: &'static str, provider: &'static str, kind: Kind },
    File(Login),
}

/// A file that holds the token of a login.
struct Login {
    provider: &'static str,
    /// The systems where it is this file.
    platforms: &'static [Platform],
    /// A variable that names another folder, and the folder beneath home.
    folder: (&'static str, &'static str),
    file: &'static str,
    token: &'static str,
    refresh: Option<&'static str>,
    expires: Option<(&'static str, Unit)>,
    handed: Handed,
}

/// The way in which a login is passed on.
enum Handed {
    /// Only in its file.
    Not,
    Token(&'static str),
    /// The whole file, in this variable.
    Whole(&'static str),
}

const ANYWHERE: &[Platform] = &[Platform::Linux, Platform::MacOs];

const fn key(provider: &'static str, name: &'static str) -> CredentialPlace {
    CredentialPlace::Variable { name, provider, kind: Kind::ApiKey }
}

const fn token(provider: &'static str, name: &'static str) -> CredentialPlace {
    CredentialPlace::Variable { name, provider, kind: Kind::AuthToken }
}

/// A token in OAuth's own words, which only its file holds.
const OAUTH: Login = Login {
    provider: "",
    platforms: ANYWHERE,
    folder: ("", ""),
    file: "oauth_creds.json",
    token: "/access_token",
    refresh: Some("/refresh_token"),
    expires: Some(("/expiry_date", Unit::Milliseconds)),
    handed: Handed::Not,
};

const fn google_like(provider: &'static str, folder: &'static str) -> CredentialPlace {
    CredentialPlace::File(Login { provider, folder: ("", folder), ..OAUTH })
}

const fn cursor(
    platforms: &'static [Platform],
    folder: (&'static str, &'static str),
    file: &'static str,
) -> CredentialPlace {
    CredentialPlace::File(Login {
        provider: "cursor",
        platforms,
        folder,
        file,
        token: "/accessToken",
        refresh: Some("/refreshToken"),
        expires: None,
        handed: Handed::Token("CURSOR_AUTH_TOKEN"),
    })
}

const KIMI: Login = Login {
    provider: "kimi",
    folder: ("KIMI_CODE_HOME", ".kimi-code"),
    file: "credentials/kimi-code.json",
    expires: Some(("/expires_at", Unit::Seconds)),
    ..OAUTH
};

const AUGMENT: Login = Login {
    provider: "augment",
    folder: ("", ".augment"),
    file: "session.json",
    token: "/accessToken",
    refresh: None,
    expires: None,
    handed: Handed::Whole("AUGMENT_SESSION_AUTH"),
    ..OAUTH
};

/// Each agent's places, the preferred one first.
const AGENTS: [(&str, &[CredentialPlace]); 13] = [
    (super::NEEDS_NONE, &[]),
    (
        "auggie",
        &[
            token("augment", "AUGMENT_SESSION_AUTH"),
            token("augment", "AUGMENT_API_TOKEN"),
            CredentialPlace::File(AUGMENT),
        ],
    ),
    (
        "copilot",
        &[
            key("custom", "COPILOT_PROVIDER_API_KEY"),
            token("github", "COPILOT_GITHUB_TOKEN"),
            token("github", "GH_TOKEN"),
            token("github", "GITHUB_TOKEN"),
        ],
    ),
    (
        "cursor",
        &[
            key("cursor", "CURSOR_API_KEY"),
            token("cursor", "CURSOR_AUTH_TOKEN"),
            cursor(&[Platform::Linux], ("XDG_CONFIG_HOME", ".config"), "cursor/auth.json"),
            cursor(&[Platform::MacOs], ("", ".cursor"), "auth.json"),
        ],
    ),
    ("droid", &[key("factory", "FACTORY_API_KEY")]),
    (
        "gemini",
        &[key("google", "GEMINI_API_KEY"), key("google", "GOOGLE_API_KEY"), google_like("google", ".gemini")],
    ),
    (
        "goose",
        &[
            key("anthropic", "ANTHROPIC_API_KEY"),
            key("openai", "OPENAI_API_KEY"),
            key("google", "GOOGLE_API_KEY"),
            key("openrouter", "OPENROUTER_API_KEY"),
            key("groq", "GROQ_API_KEY"),
            key("xai", "XAI_API_KEY"),
        ],
    ),
    ("grok", &[key("xai", "XAI_API_KEY")]),
    (
        "kilo",
        &[
            key("kilo", "KILO_API_KEY"),
            key("anthropic", "ANTHROPIC_API_KEY"),
            key("openai", "OPENAI_API_KEY"),
            key("openrouter", "OPENROUTER_API_KEY"),
        ],
    ),
    (
        "kimi",
        &[key("kimi", "KIMI_API_KEY"), key("moonshotai", "MOONSHOT_API_KEY"), CredentialPlace::File(KIMI)],
    ),
    ("qoder", &[token("qoder", "QODER_PERSONAL_ACCESS_TOKEN")]),
    (
        "qwen",
        &[key("openai", "OPENAI_API_KEY"), key("alibaba", "DASHSCOPE_API_KEY"), google_like("qwen", ".qwen")],
    ),
    ("vibe", &[key("mistral", "MISTRAL_API_KEY")]),
];

pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().map(|(id, _)| *id)
}

pub(super) fn search(agent: &str, search: &mut Search) -> bool {
    let Some((_, places)) = AGENTS.iter().find(|(id, _)| *id == agent) else { return false };
    for place in *places {
        match place {
            CredentialPlace::Variable { name, provider, kind } => search.add_variable(provider, *kind, name),
            CredentialPlace::File(login) if login.platforms.contains(&search.host.platform) => {
                read(search, login)
            }
            CredentialPlace::File(_) => {}
        }
    }
    true
}

fn read(search: &mut Search, login: &Login) {
    let (variable, folder) = login.folder;
    let path = search.host.folder(variable, folder).join(login.file);
    let Some(document) = search.object(&path) else { return };
    let origin = Origin::File(path);
    let Some(secret) = search.text(&document, login.token, &origin) else {
        return search.problem(origin, format!("has no {}", login.token.trim_start_matches('/')));
    };
    let mut credential = Credential::new(login.provider, Kind::OAuth, origin.clone()).with_secret(secret);
    credential.expires_at_ms = login.expires.and_then(|expires| search.moment(&document, expires, &origin));
    credential.renewable =
        login.refresh.is_some_and(|pointer| search.text(&document, pointer, &origin).is_some());
    search.add(match login.handed {
        Handed::Not => credential,
        Handed::Token(name) => credential.handed_as(name),
        Handed::Whole(name) => {
            credential.variables.push(Variable { name, value: Secret::new(document.to_string()) });
            credential
        }
    });
}
