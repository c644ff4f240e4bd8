// The agents of the sandbox.

import { useSandboxAgent } from "@sandbox-agent/react";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { AgentInfo } from "sandbox-agent";

export function useAgents(): UseQueryResult<AgentInfo[]> {
  const client = useSandboxAgent();
  return useQuery({
    queryKey: ["agents"],
    queryFn: ({ signal }) => client.agents.list({}, { signal }),
    staleTime: 10_000,
  });
}
