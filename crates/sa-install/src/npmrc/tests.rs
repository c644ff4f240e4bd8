//! npm's rules, by the registry and the credentials that come out.
#![allow(clippy::unwrap_used)]

use super::*;
use reqwest::header::AUTHORIZATION;
use tempfile::TempDir;

struct Machine {
    root: TempDir,
    sources: NpmSources,
}

impl Machine {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        let at = |name: &str| root.path().join(name);
        let sources = NpmSources {
            home: Some(at("home")),
            project: Some(at("project/src")),
            prefixes: vec![at("usr/local"), at("usr")],
            ..NpmSources::default()
        };
        Self { root, sources }
    }

    fn file(self, path: &str, text: &str) -> Self {
        let file = self.root.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.sources.env.insert(name.to_owned(), value.to_owned());
        self
    }

    fn flag(mut self, registry: &str) -> Self {
        self.sources.registry = Some(registry.to_owned());
        self
    }

    fn path(&self, path: &str) -> String {
        self.root.path().join(path).to_str().unwrap().to_owned()
    }

    fn load(&self) -> NpmConfig {
        NpmConfig::load(&self.sources)
    }

    fn registry(&self, package: &str) -> String {
        self.load().registry(package).map_or_else(|error| error.to_string(), |url| url.to_string())
    }

    fn authorization(&self, url: &str) -> Option<String> {
        let headers = self.load().headers(&Url::parse(url).unwrap());
        headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned())
    }
}

#[test]
fn the_most_specific_source_wins() {
    let machine = Machine::new().file("usr/etc/npmrc", "registry=https://usr.example");
    assert_eq!(machine.registry("x"), "https://usr.example/");
    let machine = machine.file("usr/local/etc/npmrc", "registry = https://local.example/npm");
    assert_eq!(machine.registry("x"), "https://local.example/npm/");
    let machine = machine.file("home/.npmrc", "registry=https://user.example/");
    assert_eq!(machine.registry("x"), "https://user.example/");
    let machine = machine
        .file("project/package.json", "{}")
        .file("project/.npmrc", "registry=https://project.example/");
    assert_eq!(machine.registry("x"), "https://project.example/");
    let machine = machine.variable("NPM_CONFIG_REGISTRY", "https://env.example/");
    assert_eq!(machine.registry("x"), "https://env.example/");
    let machine = machine.flag("https://flag.example/");
    assert_eq!(machine.registry("x"), "https://flag.example/");
}

#[test]
fn nothing_configured_says_what_to_do() {
    let machine = Machine::new().variable("npm_config_registry", "").file("home/.npmrc", "registry=\n");
    assert!(
        machine
            .registry("x")
            .contains("set npm_config_registry, add `registry=` to ~/.npmrc, or pass --npm-registry")
    );
    assert!(!machine.load().knows_registry("x"));
    let broken = Machine::new().file("home/.npmrc", "registry=registry.example");
    assert!(broken.registry("x").contains("not an address"), "{}", broken.registry("x"));
}

#[test]
fn a_scope_has_its_own_registry() {
    let machine = Machine::new().flag("https://flag.example/").file(
        "home/.npmrc",
        "@scope:registry=https://scope.example/a/\n@other:registry=https://other.example",
    );
    assert_eq!(machine.registry("@scope/x"), "https://scope.example/a/");
    assert_eq!(machine.registry("@other/x"), "https://other.example/");
    assert_eq!(machine.registry("@third/x"), "https://flag.example/");
    assert_eq!(machine.registry("scope"), "https://flag.example/");
    let machine = machine.variable("npm_config_@scope:registry", "https://env.example/");
    assert_eq!(machine.registry("@scope/x"), "https://env.example/");
}

#[test]
fn files_may_be_elsewhere() {
    let machine = Machine::new()
        .file("elsewhere/user", "registry=https://user.example/")
        .file("home/.npmrc", "registry=https://wrong.example/");
    let user = machine.path("elsewhere/user");
    assert_eq!(machine.variable("npm_config_userconfig", &user).registry("x"), "https://user.example/");

    let machine = Machine::new()
        .file("home/global", "registry=https://global.example/")
        .file("usr/etc/npmrc", "registry=https://wrong.example/");
    assert_eq!(
        machine.variable("NPM_CONFIG_GLOBALCONFIG", "~/global").registry("x"),
        "https://global.example/"
    );

    let machine = Machine::new().file("opt/etc/npmrc", "registry=https://prefix.example/");
    let prefix = format!("prefix={}", machine.path("opt"));
    assert_eq!(machine.file("home/.npmrc", &prefix).registry("x"), "https://prefix.example/");
}

#[test]
fn a_project_is_found_upwards() {
    let machine = Machine::new()
        .file("project/.npmrc", "registry=https://above.example/")
        .file("project/src/.npmrc", "registry=https://here.example/");
    assert_eq!(machine.registry("x"), "https://here.example/");
    let machine = machine.file("project/node_modules/.keep", "");
    assert_eq!(machine.registry("x"), "https://above.example/");
}

#[test]
fn the_form_of_files() {
    let text = "\u{feff}; comment\n# comment\n\nalone\n  registry = \"https://quoted.example/#x\" \n\
                @a:registry='https://single.example/' \n@b:registry=https://c.example/ ; comment\n\
                @c:registry=https://d.example/\\#e\n@d:registry=https://${HOST}/${NONE?}\n@e:registry=https://e.example/\\${HOST}/${NONE}\n\
                @f:registry=https://first.example/\n@f:registry=https://last.example/\n[section]\n@g:registry=https://no.example/\n";
    let machine = Machine::new().variable("HOST", "host.example").file("home/.npmrc", text);
    let config = machine.load();
    for (key, value) in [
        ("alone", "true"),
        ("registry", "https://quoted.example/#x"),
        ("@a:registry", "https://single.example/"),
        ("@b:registry", "https://c.example/"),
        ("@c:registry", "https://d.example/#e"),
        ("@d:registry", "https://host.example/"),
        ("@e:registry", "https://e.example/${HOST}/${NONE}"),
        ("@f:registry", "https://last.example/"),
        ("@g:registry", ""),
    ] {
        assert_eq!(config.setting(key).unwrap_or_default(), value, "{key}");
    }
}

#[test]
fn credentials_belong_to_an_address() {
    let machine = Machine::new().variable("TOKEN", "s3cret").file(
        "home/.npmrc",
        "//a.example/npm/:_authToken=${TOKEN}\n//a.example/:_auth=dTpw\n//a.example:8443/:_authToken=port\n\
         //b.example/:username=me\n//b.example/:_password=cHc=\n//c.example/:username=me\n_authToken=everybody",
    );
    let token = Some("Bearer s3cret".to_owned());
    assert_eq!(machine.authorization("https://a.example/npm/@s%2fp"), token);
    assert_eq!(machine.authorization("https://a.example/npm/p/-/p-1.tgz"), token);
    assert_eq!(machine.authorization("https://a.example/npmx/p"), Some("Basic dTpw".to_owned()));
    assert_eq!(machine.authorization("https://a.example:8443/npm/p"), Some("Bearer port".to_owned()));
    assert_eq!(machine.authorization("https://b.example/p"), Some("Basic bWU6cHc=".to_owned()));
    assert_eq!(machine.authorization("https://c.example/p"), None);
    assert_eq!(machine.authorization("https://d.example/p"), None);
}

#[test]
fn credentials_in_an_address_stay_out_of_sight() {
    let machine = Machine::new().variable("npm_config_registry", "https://us%40er:p%2Bw@a.example/npm/");
    assert_eq!(machine.registry("x"), "https://a.example/npm/");
    assert_eq!(machine.authorization("https://a.example/npm/x"), Some("Basic dXNAZXI6cCt3".to_owned()));
    let shown = format!("{:?}", machine.load());
    assert!(shown.contains("registry") && !shown.contains("dXNAZXI6"), "{shown}");
}

#[test]
fn what_npm_itself_says_comes_last() {
    let machine = Machine::new().file("home/.npmrc", "@scope:registry=https://scope.example/");
    let config = machine.load().with_default("https://builtin.example".to_owned());
    assert_eq!(config.registry("x").unwrap().as_str(), "https://builtin.example/");
    assert_eq!(config.registry("@scope/x").unwrap().as_str(), "https://scope.example/");
}

#[test]
fn certificates_are_where_npm_is_reported_they_are() {
    let machine = Machine::new().file("home/.npmrc", "cafile=~/certificates.pem\n");
    let file = machine.root.path().join("home/certificates.pem");
    assert_eq!(NpmConfig::load(&machine.sources).certificates(), Some(file.as_path()));
    let machine = machine.variable("npm_config_cafile", "/etc/other.pem");
    assert_eq!(NpmConfig::load(&machine.sources).certificates(), Some(Path::new("/etc/other.pem")));
    assert_eq!(NpmConfig::load(&Machine::new().sources).certificates(), None);
}

/// Reading a pipe waits for its writer, and a device has no end.
#[test]
fn a_file_that_cannot_be_read_to_its_end_is_no_file() {
    let machine = Machine::new()
        .file("home/unused", "")
        .file("project/package.json", "{}")
        .file("project/.npmrc", "registry=https://project.example");
    let pipe = machine.root.path().join("home/.npmrc");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert_eq!(machine.registry("p"), "https://project.example/");
    std::fs::remove_file(&pipe).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &pipe).unwrap();
    assert_eq!(machine.registry("p"), "https://project.example/");
}
