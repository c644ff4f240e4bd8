# Rendered by `cargo xtask dist` with the addresses and checksums of a release.
class SandboxAgent < Formula
  desc "Claude Code, Codex, OpenCode, Amp and any ACP agent behind one HTTP API"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license "Apache-2.0"

  # @PLATFORMS@

  def install
    bin.install "sandbox-agent"
    bash_completion.install "completions/sandbox-agent.bash" => "sandbox-agent"
    zsh_completion.install "completions/_sandbox-agent"
    fish_completion.install "completions/sandbox-agent.fish"
    man1.install Dir["man/*.1"]
  end

  service do
    run [opt_bin/"sandbox-agent", "server"]
    keep_alive crashed: true
    log_path var/"log/sandbox-agent.log"
    error_log_path var/"log/sandbox-agent.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sandbox-agent --version")
  end
end
