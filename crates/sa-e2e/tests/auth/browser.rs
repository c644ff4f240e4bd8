//! `docs/browser.md`: its page runs against the daemon, as a browser of an allowed origin would run it.

use anyhow::{Context, Result, ensure};
use sa_testkit::{Daemon, Finished};
use serde_json::Value;
use std::process::Stdio;

const PAGE: &str = include_str!("../../../../docs/browser.md");
const ORIGIN: &str = "https://app.example.org";

/// The parts of a browser that the page uses. An `EventSource` reconnects with its URL and the last id it has seen, and closes
/// for good when the answer is not an event stream.
const BROWSER: &str = r#"
export const lines = [], sources = [], urls = [], text = { value: "" };
export const gateway = { failures: 0 };
let submit;
globalThis.prompt = () => process.env.TOKEN;
const elements = { text, log: { append: (line) => lines.push(line.trim()) }, form: { addEventListener: (_, act) => (submit = act) } };
globalThis.document = { getElementById: (id) => elements[id] };
const network = globalThis.fetch;
globalThis.fetch = (url, options) => (urls.push(url), network(url, options));
globalThis.EventSource = class EventSource {
  static CLOSED = 2;
  last = "";
  constructor(url) { this.url = url; sources.push(this); this.connect(); }
  async connect() {
    this.readyState = 0;
    this.cutting = new AbortController();
    const headers = { Accept: "text/event-stream", ...(this.last && { "Last-Event-ID": this.last }) };
    const response = gateway.failures-- > 0 ? new Response("", { status: 502 })
      : await fetch(this.url, { headers, signal: this.cutting.signal });
    if (response.status !== 200) { this.readyState = 2; return this.onerror(); }
    this.readyState = 1;
    let rest = "";
    try {
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + piece).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) this.dispatch(block);
      }
    } catch {}
    this.readyState = 0;
    this.onerror();
    setTimeout(() => this.connect(), 20);
  }
  dispatch(block) {
    const field = (name) => block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    this.last = field("id") ?? this.last;
    if (field("data") !== undefined && !field("event")) this.onmessage({ data: field("data"), lastEventId: this.last });
  }
};
export async function say(words) {
  text.value = `say ${words}`;
  await submit({ preventDefault() {} });
  for (let tries = 0; !lines.some((line) => line.endsWith(`: ${words}`)); tries++) {
    if (tries > 400) throw new Error(`${words} is not in ${JSON.stringify(lines)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
"#;

const VISIT: &str = r#"
import { lines, sources, urls, gateway, say } from "./browser.mjs";
await import("./page.mjs");
await say("one");
sources.at(-1).cutting.abort();
await say("two");
gateway.failures = 1;
sources.at(-1).cutting.abort();
await say("three");
console.log(JSON.stringify({ lines, urls, sources: sources.length }));
process.exit(0);
"#;

/// Returns the script of the page, for the daemon under test.
fn script(daemon: &Daemon) -> Result<String> {
    let (_, rest) = PAGE.split_once("<script type=\"module\">").context("the page has a script")?;
    let (script, _) = rest.split_once("</script>").context("which ends")?;
    let usual = "http://127.0.0.1:2468";
    ensure!(script.contains(usual), "the page names the daemon");
    Ok(script.replace(usual, &format!("http://{}", daemon.http().address())))
}

#[tokio::test]
async fn the_page_of_the_documentation_works() -> Result<()> {
    let daemon = Daemon::builder().arg("--cors-allow-origin").arg(ORIGIN).start().await?;
    let folder = daemon.sandbox().home().join("page");
    std::fs::create_dir(&folder)?;
    let files = [
        ("browser.mjs", BROWSER.to_owned()),
        ("page.mjs", script(&daemon)?),
        ("visit.mjs", VISIT.to_owned()),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(name), text)?;
    }
    let mut node = std::process::Command::new("node");
    node.arg(folder.join("visit.mjs")).env("TOKEN", "testkit-token").stdin(Stdio::null());
    let ended = Finished::wait(node).await?;
    ensure!(ended.status.success(), "{ended}");
    let visit: Value = serde_json::from_str(&ended.stdout)?;
    let lines: Vec<&str> =
        visit["lines"].as_array().context("lines")?.iter().filter_map(Value::as_str).collect();
    let agent: Vec<&str> = lines.iter().copied().filter(|line| !line.starts_with("user: ")).collect();
    let words: Vec<&str> = agent.iter().filter_map(|line| line.split(": ").nth(1)).collect();
    assert_eq!(words, ["one", "two", "three"], "each once, in order: {lines:?}");
    assert_eq!(visit["sources"], 2, "one survived the cut, the gateway's error needed another");
    for url in visit["urls"].as_array().context("urls")? {
        assert!(!url.to_string().contains("testkit-token"), "{url}");
    }
    Ok(())
}

/// The requests of that page that a browser asks about first.
#[tokio::test]
async fn the_page_may_do_what_it_does() -> Result<()> {
    let daemon = Daemon::builder().arg("--cors-allow-origin").arg(ORIGIN).start().await?;
    let unknown = daemon.http().with_token(None);
    for path in ["/v1/sessions/page-1", "/v1/tickets", "/v1/sessions/page-1/messages"] {
        let asking = unknown.request("OPTIONS".parse()?, path).header("origin", ORIGIN);
        let asking = asking.header("access-control-request-method", "POST");
        let reply =
            asking.header("access-control-request-headers", "authorization,content-type").send().await?;
        assert_eq!(reply.header("access-control-allow-origin"), ORIGIN, "{path}");
        let headers = reply.header("access-control-allow-headers").to_ascii_lowercase();
        assert!(headers.contains("authorization") && headers.contains("content-type"), "{path}: {headers}");
    }
    // An EventSource asks for nothing beforehand; the answer must name the origin, also when it is a refusal.
    let stream =
        unknown.get("/v1/sessions/page-1/events/sse?ticket=x").header("origin", ORIGIN).send().await?;
    assert_eq!((stream.status, stream.header("access-control-allow-origin")), (401, ORIGIN));
    Ok(())
}
