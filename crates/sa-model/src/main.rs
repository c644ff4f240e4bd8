//! `sa-model`: the scripted model server as a program, to try agents without a key.

use anyhow::{Context, Result};
use clap::Parser;
use sa_model::ModelServer;

/// A model server that does what the prompt says. See docs/model-server.md for the language.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Port on 127.0.0.1; 0 takes any that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let server = ModelServer::start_on(args.port).context("cannot listen")?;
    println!("listening on {}", server.url());
    println!("{}", hints(&server.url()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(tokio::signal::ctrl_c()).context("cannot wait for the signal to stop")
}

/// How to point agents here.
fn hints(url: &str) -> String {
    format!(
        r#"
claude    ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=scripted claude
codex     CODEX_API_KEY=scripted codex exec -c 'openai_base_url="{url}/v1"' 'say: hello'
opencode  OPENCODE_CONFIG_CONTENT='{{"model":"anthropic/claude-sonnet-4-5","provider":{{"anthropic":{{"options":{{"baseURL":"{url}/v1","apiKey":"scripted"}}}}}}}}' opencode
gemini    GOOGLE_GEMINI_BASE_URL={url} GEMINI_API_KEY=scripted gemini   # choose "Use Gemini API Key"
qwen      OPENAI_BASE_URL={url}/v1 OPENAI_API_KEY=scripted OPENAI_MODEL=scripted-1 qwen --auth-type openai
copilot   COPILOT_PROVIDER_BASE_URL={url}/v1 COPILOT_PROVIDER_TYPE=openai COPILOT_PROVIDER_API_KEY=scripted COPILOT_MODEL=scripted-1 COPILOT_OFFLINE=true copilot

Then write a script as the prompt, one directive per line:

    think: They want to see a tool.
    tool: shell {{"command":"echo hi"}}
    then
    say: It printed ${{LAST_TOOL_RESULT}}

What agents ask for is at {url}/_model/requests.
"#
    )
}
