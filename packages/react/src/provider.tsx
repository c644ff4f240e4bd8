// The client that the hooks of a tree of components use.

import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type HttpOptions, SandboxAgent } from "sandbox-agent";
import { type ClientStores, storesOf } from "sandbox-agent/stores";

const Context = createContext<SandboxAgent | undefined>(undefined);

/** Either a client, or the address of a daemon. */
export type SandboxAgentProviderProps = { children?: ReactNode } & (
  | { client: SandboxAgent }
  | ({ client?: undefined } & Pick<HttpOptions, "baseUrl" | "token" | "tokenHeader" | "fetch">)
);

/**
 * Gives the components below it a client.
 *
 * @example
 * <SandboxAgentProvider baseUrl="http://127.0.0.1:2468" token={token}>
 *   <Chat sessionId="mine" />
 * </SandboxAgentProvider>
 */
export function SandboxAgentProvider(props: SandboxAgentProviderProps): ReactNode {
  const { client, children } = props;
  const { baseUrl, token, tokenHeader, fetch } =
    client === undefined ? props : { baseUrl: undefined, token: undefined };
  const value = useMemo(
    () => (baseUrl === undefined ? client : SandboxAgent.open({ baseUrl, token, tokenHeader, fetch })),
    [client, baseUrl, token, tokenHeader, fetch],
  );
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

/** Returns the client of the nearest `SandboxAgentProvider`. */
export function useSandboxAgent(): SandboxAgent {
  const client = useContext(Context);
  if (client === undefined)
    throw new Error("hooks of @sandbox-agent/react need a SandboxAgentProvider above them");
  return client;
}

/** Returns the stores of the client, which all components share. */
export function useStores(): ClientStores {
  return storesOf(useSandboxAgent());
}
