//! The families of crates that have a budget.

use super::symbols::Symbol;

/// A family's name and the beginnings of its crates' names.
struct Family {
    name: &'static str,
    crates: &'static [&'static str],
}

const ADAPTERS: &str = "adapters";
const SESSIONS: &str = "sessions and store";
const HTTP: &str = "HTTP server and hub";
const WORKSPACE: &str = "files and processes";
const INSTALL: &str = "install, doctor, archives";
const CLI: &str = "command line";
const TLS: &str = "TLS and HTTP client";
const SQLITE: &str = "SQLite";
const SEARCH: &str = "regular expressions";
const STD: &str = "std, runtime, JSON, logging";
const OTHER: &str = "other";

/// Every name that [`family`] returns.
#[cfg(test)]
pub(super) const NAMES: &[&str] =
    &[ADAPTERS, SESSIONS, HTTP, WORKSPACE, INSTALL, CLI, TLS, SQLITE, SEARCH, STD, OTHER];

/// Crates of this project. A function that is made for one of them counts there, wherever it is written.
const OURS: &[Family] = &[
    Family {
        name: ADAPTERS,
        crates: &["sa_acp", "sa_demo", "sa_claude", "sa_codex", "sa_opencode", "sa_amp"],
    },
    Family {
        name: SESSIONS,
        crates: &[
            "sa_sessions",
            "sa_store",
            "sa_universal",
            "sa_webhooks",
            "sa_skills",
            "sa_otlp",
            "sa_config",
        ],
    },
    Family { name: HTTP, crates: &["sa_http", "sa_api", "sa_hub", "sa_relay", "sa_jsonrpc", "sa_inspector"] },
    Family { name: WORKSPACE, crates: &["sa_disk", "sa_files", "sa_processes", "sa_supervisor", "sa_shell"] },
    Family {
        name: INSTALL,
        crates: &["sa_install", "sa_agents", "sa_net", "sa_credentials", "sa_probe", "sa_doctor"],
    },
    Family { name: CLI, crates: &["sa_client", "sa_model", "sandbox_agent"] },
];

/// Everybody else's.
const OTHERS: &[Family] = &[
    Family { name: ADAPTERS, crates: &["agent_client_protocol_schema"] },
    Family { name: SQLITE, crates: &["rusqlite", "libsqlite3_sys", "hashlink"] },
    Family {
        name: TLS,
        crates: &[
            "rustls",
            "webpki",
            "ring",
            "reqwest",
            "hyper_rustls",
            "tokio_rustls",
            "idna",
            "icu_",
            "url",
        ],
    },
    Family {
        name: HTTP,
        crates: &["axum", "hyper", "http", "tower", "tungstenite", "tokio_tungstenite", "matchit"],
    },
    Family {
        name: INSTALL,
        crates: &["zip", "tar", "flate2", "zlib_rs", "bzip2", "libbz2", "ruzstd", "sha2", "sha1", "semver"],
    },
    Family { name: CLI, crates: &["clap", "anstyle", "anstream", "indicatif", "console", "toml", "winnow"] },
    Family {
        name: SEARCH,
        crates: &["regex", "aho_corasick", "memchr", "bstr", "globset", "grep", "encoding_rs", "matchers"],
    },
    Family {
        name: STD,
        crates: &[
            "std",
            "core",
            "alloc",
            "compiler_builtins",
            "gimli",
            "addr2line",
            "miniz_oxide",
            "rustc_demangle",
            "hashbrown",
            "tokio",
            "mio",
            "futures",
            "bytes",
            "serde",
            "tracing",
            "parking_lot",
            "slab",
            "sharded_slab",
        ],
    },
];

/// Returns the family that a function counts for.
pub(super) fn family(symbol: &Symbol<'_>) -> &'static str {
    let in_family = |families: &[Family], name: &str| {
        let family =
            families.iter().find(|family| family.crates.iter().any(|crate_| name.starts_with(crate_)));
        family.map(|family| family.name)
    };
    // Ring's functions have a prefix; all other C is SQLite's.
    if symbol.crates().next().is_none() {
        return match symbol.name {
            name if name.starts_with("_R") => OTHER,
            name if name.contains("ring_core") => TLS,
            name if name.starts_with('_') => OTHER,
            _ => SQLITE,
        };
    }
    let ours = symbol.crates().find_map(|name| in_family(OURS, name));
    // The crate that needed a function comes last and says less than whose function it is.
    ours.or_else(|| symbol.crates().find_map(|name| in_family(OTHERS, name).filter(|family| *family != STD)))
        .or_else(|| symbol.crates().find_map(|name| in_family(OTHERS, name)))
        .unwrap_or(OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_counts_for_the_crate_it_is_made_for() {
        let of = |name: &str| family(&Symbol::parse(&format!("1 1 t {name}")).unwrap());
        assert_eq!(of("_RINvNtCs1_4core3ptr4dropNtCs2_7sa_http5StateECs3_13sandbox_agent"), HTTP);
        assert_eq!(of("_RINvNtCs1_4core3ptr4dropNtCs2_6rustls5StateECs1_4core"), TLS);
        assert_eq!(of("_RINvNtCs1_4core3ptr4dropNtCs2_5alloc3VecE"), STD);
        assert_eq!(of("_RNvCs1_7strange3run"), OTHER);
        assert_eq!(of("sqlite3_open"), SQLITE);
        assert_eq!(of("ring_core_0_17_14__x25519"), TLS);
    }
}
