//! How to use a server: for the person who has started one.

/// Returns the commands that point each agent at the server of that address, and a first script.
pub fn hints(url: &str) -> String {
    format!(
        r#"claude    ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=scripted claude
codex     CODEX_API_KEY=scripted codex exec -c 'openai_base_url="{url}/v1"' 'say: hello'
opencode  OPENCODE_CONFIG_CONTENT='{{"model":"anthropic/claude-sonnet-4-5","provider":{{"anthropic":{{"options":{{"baseURL":"{url}/v1","apiKey":"scripted"}}}}}}}}' opencode
gemini    GOOGLE_GEMINI_BASE_URL={url} GEMINI_API_KEY=scripted gemini   # choose "Use Gemini API Key"
qwen      OPENAI_BASE_URL={url}/v1 OPENAI_API_KEY=scripted OPENAI_MODEL=scripted-1 qwen --auth-type openai
copilot   COPILOT_PROVIDER_BASE_URL={url}/v1 COPILOT_PROVIDER_TYPE=openai COPILOT_PROVIDER_API_KEY=scripted COPILOT_MODEL=scripted-1 COPILOT_OFFLINE=true copilot

session   sandbox-agent api sessions create --agent claude --env ANTHROPIC_BASE_URL={url} --env ANTHROPIC_API_KEY=scripted

Write a script as the prompt, one directive per line:

    think: They want to see a tool.
    tool: shell {{"command":"echo hi"}}
    then
    say: It printed ${{LAST_TOOL_RESULT}}

Requests received so far: {url}/_model/requests"#
    )
}
