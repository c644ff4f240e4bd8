// Chooses between the connect screen and the shell.

import { SandboxAgentProvider } from "@sandbox-agent/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactElement, useMemo, useState } from "react";
import { ProblemError } from "sandbox-agent";
import { type Connection, forgetConnection, keepConnection, takeConnection } from "./core/connection.ts";
import { ConnectionContext } from "./hooks/connection.ts";
import { useTheme } from "./hooks/theme.ts";
import { ConnectScreen } from "./screens/connect.tsx";
import { Shell } from "./screens/shell.tsx";

export function App(): ReactElement {
  const [connection, setConnection] = useState(() =>
    takeConnection(location, window.history, sessionStorage),
  );
  const [reason, setReason] = useState<unknown>();
  useTheme();
  const queries = useMemo(
    () =>
      new QueryClient({
        // The SDK repeats calls that are safe to repeat. A browser that believes to be offline still reaches loopback.
        defaultOptions: { queries: { retry: false, staleTime: 2_000, networkMode: "always" } },
      }),
    [],
  );
  const value = useMemo(() => {
    if (connection === undefined) return undefined;
    const disconnect = (error?: unknown): void => {
      forgetConnection(location, sessionStorage);
      queries.clear();
      setReason(error);
      setConnection(undefined);
    };
    return { connection, disconnect };
  }, [connection, queries]);

  const onConnect = (next: Connection): void => {
    keepConnection(next, location, sessionStorage);
    setReason(undefined);
    setConnection(next);
  };
  if (value === undefined) return <ConnectScreen reason={reason} onConnect={onConnect} />;
  const { baseUrl, token } = value.connection;
  return (
    <ConnectionContext.Provider value={value}>
      <QueryClientProvider client={queries}>
        <SandboxAgentProvider baseUrl={baseUrl} token={token}>
          <Shell />
        </SandboxAgentProvider>
      </QueryClientProvider>
    </ConnectionContext.Provider>
  );
}

export function isTokenError(error: unknown): boolean {
  return error instanceof ProblemError && error.code === "token_invalid";
}
