// The connect screen: which daemon, and how to start one.

import { type ReactElement, useEffect, useRef, useState } from "react";
import { SandboxAgent } from "sandbox-agent";
import { Button, CopyButton, Field } from "../components/controls.tsx";
import { ProblemView } from "../components/problem.tsx";
import { type Connection, daemonAddress, normalizeEndpoint, serverCommand } from "../core/connection.ts";
import "./connect.css";

type Attempt = { state: "idle" } | { state: "connecting" } | { state: "failed"; error: unknown };

export function ConnectScreen(props: {
  reason: unknown;
  onConnect: (connection: Connection) => void;
}): ReactElement {
  const served = useServedByDaemon();
  const [endpoint, setEndpoint] = useState(() => daemonAddress(location));
  const [token, setToken] = useState("");
  const [attempt, setAttempt] = useState<Attempt>(() =>
    props.reason === undefined ? { state: "idle" } : { state: "failed", error: props.reason },
  );
  const connect = async (connection: Connection): Promise<void> => {
    setAttempt({ state: "connecting" });
    try {
      await SandboxAgent.connect({ ...connection, healthTimeoutMs: 4_000 });
      props.onConnect(connection);
    } catch (error) {
      setAttempt({ state: "failed", error });
    }
  };
  // A daemon without a token lets everybody in.
  const tried = useRef(false);
  useEffect(() => {
    if (tried.current || !served || props.reason !== undefined) return;
    tried.current = true;
    const connection = { baseUrl: daemonAddress(location), token: undefined };
    SandboxAgent.connect({ ...connection, healthTimeoutMs: 4_000 }).then(
      () => props.onConnect(connection),
      () => {},
    );
  }, [served, props]);
  const submit = (): void =>
    void connect({
      baseUrl: normalizeEndpoint(endpoint),
      token: token.trim() === "" ? undefined : token.trim(),
    });

  return (
    <main className="connect">
      <div className="connect-card">
        <div>
          <h1>Connect to a daemon</h1>
          <p>
            {served
              ? "This daemon asks for its token."
              : "Enter the address and the token of a daemon that runs."}
          </p>
        </div>
        <form
          className="connect-form"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {served ? null : (
            <Field label="Endpoint">
              <input
                className="input"
                value={endpoint}
                onChange={(event) => setEndpoint(event.target.value)}
              />
            </Field>
          )}
          <Field
            label="Token"
            hint="SANDBOX_AGENT_TOKEN of the daemon, or the one it printed at its start. It stays in this tab."
          >
            <input
              className="input"
              type="password"
              autoComplete="off"
              value={token}
              // biome-ignore lint/a11y/noAutofocus: the only thing to do here
              autoFocus
              onChange={(event) => setToken(event.target.value)}
            />
          </Field>
          <Button type="submit" look="primary" disabled={attempt.state === "connecting"}>
            {attempt.state === "connecting" ? "Connecting…" : "Connect"}
          </Button>
        </form>
        {attempt.state === "failed" ? <ProblemView error={attempt.error} onRetry={submit} /> : null}
        {served ? null : (
          <div>
            <p>Start a daemon that this page may call:</p>
            <div className="command">
              <code>{serverCommand(location.origin)}</code>
              <CopyButton text={() => serverCommand(location.origin)} label="Copy command" />
            </div>
          </div>
        )}
      </div>
    </main>
  );
}

/** A daemon serves the page next to its API, so there is no endpoint to ask for. */
function useServedByDaemon(): boolean {
  const [served, setServed] = useState(location.pathname.endsWith("/ui/"));
  useEffect(() => {
    const abort = new AbortController();
    fetch(`${daemonAddress(location)}/v1/health`, { signal: abort.signal })
      .then((response) => response.json())
      .then((health: { status?: string }) => setServed(health.status === "ok"))
      .catch(() => {
        if (!abort.signal.aborted) setServed(false);
      });
    return () => abort.abort();
  }, []);
  return served;
}
