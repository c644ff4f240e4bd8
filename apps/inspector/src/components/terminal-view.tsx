// One terminal: xterm on the SDK's terminal, which attaches again by itself.

import { useSandboxAgent } from "@sandbox-agent/react";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Screen } from "@xterm/xterm";
import { type ReactElement, useEffect, useRef, useState } from "react";
import type { Terminal } from "sandbox-agent";
import { ProblemView } from "./problem.tsx";
import { openTerminal } from "./terminal-document.ts";
import "@xterm/xterm/css/xterm.css";

export default function TerminalView({ id }: { id: string }): ReactElement {
  const client = useSandboxAgent();
  const box = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt attaches again
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const screen = new Screen({
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--font-code"),
      fontSize: 12.5,
      cursorBlink: false,
      theme: themeOf(element),
    });
    const fit = new FitAddon();
    screen.loadAddon(fit);
    openTerminal(screen, element);
    fit.fit();
    screen.focus();
    const abort = new AbortController();
    let terminal: Terminal | undefined;
    const resize = (): void => {
      fit.fit();
      terminal?.resize({ cols: screen.cols, rows: screen.rows });
    };
    const stopWatching = onThemeChange(() => {
      screen.options.theme = themeOf(element);
    });
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    // Input typed before the terminal is attached waits for it.
    let early = "";
    screen.onData((data) => {
      if (terminal === undefined) early += data;
      else terminal.write(data);
    });
    const attach = async (): Promise<void> => {
      terminal = await client.processes.terminal(id, { signal: abort.signal });
      terminal.onReset(() => screen.reset());
      terminal.onData((bytes) => screen.write(bytes));
      resize();
      if (early !== "") terminal.write(early);
      const exit = await terminal.exit;
      screen.write(
        `\r\n\x1b[2mThe process exited${exit.exitCode === undefined ? "" : ` with ${exit.exitCode}`}.\x1b[0m\r\n`,
      );
    };
    attach().catch((failure: unknown) => {
      if (!abort.signal.aborted) setError(failure);
    });
    return () => {
      abort.abort();
      observer.disconnect();
      stopWatching();
      screen.dispose();
    };
  }, [client, id, attempt]);
  const retry = (): void => {
    setError(undefined);
    setAttempt((now) => now + 1);
  };
  return (
    <div className="terminal-box">
      {error === undefined ? null : <ProblemView error={error} onRetry={retry} />}
      <div ref={box} data-terminal={id} />
    </div>
  );
}

/** Calls back when the reader or the system switches between light and dark. */
function onThemeChange(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", listener);
  const chosen = new MutationObserver(listener);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    system.removeEventListener("change", listener);
    chosen.disconnect();
  };
}

/** Colors of the page, which the terminal draws itself. */
function themeOf(element: HTMLElement): Record<string, string> {
  const probe = document.createElement("span");
  element.append(probe);
  const color = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const theme = {
    background: color("--bg"),
    foreground: color("--text"),
    cursor: color("--accent"),
    red: color("--red"),
    green: color("--green"),
    yellow: color("--amber"),
    blue: color("--blue"),
    magenta: color("--violet"),
  };
  probe.remove();
  return theme;
}
