// The ACP messages that the agent's process wrote, byte for byte.

import { useSandboxAgent } from "@sandbox-agent/react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactElement, useCallback, useMemo } from "react";
import type { ServerEvent, SessionState } from "sandbox-agent";
import { isOfSession, matching, messageRecord } from "../core/log-records.ts";
import { useFollowed } from "../hooks/followed.ts";
import { CopyMenu } from "./copy-menu.tsx";
import { LogList } from "./log-list.tsx";
import { ProblemView } from "./problem.tsx";

interface AcpLogProps {
  sessionId: string;
  nativeSessionId: string | undefined;
  /** State of the session. Another state may mean another process. */
  state: SessionState | undefined;
  filter: string;
  paused: boolean;
}

export function AcpLog({ sessionId, nativeSessionId, state, filter, paused }: AcpLogProps): ReactElement {
  const client = useSandboxAgent();
  const server = useQuery({
    queryKey: ["server", sessionId, state],
    queryFn: async ({ signal }) => {
      const servers = await client.servers.list({ signal });
      return servers.findLast(({ sessionIds }) => sessionIds?.includes(sessionId) === true)?.serverId ?? null;
    },
    refetchInterval: 5_000,
    placeholderData: keepPreviousData,
  });
  const serverId = server.data ?? undefined;
  const read = useCallback(
    async (after: number | undefined, signal: AbortSignal) =>
      client.servers.messages(serverId ?? "", { after, signal, onGap: () => {} }),
    [client, serverId],
  );
  const { records, error, retry } = useFollowed<ServerEvent>(
    serverId === undefined ? undefined : read,
    paused,
  );
  const shown = useMemo(() => {
    const own = records.filter((event) => isOfSession(event, nativeSessionId));
    return matching(own, filter).map(messageRecord);
  }, [records, filter, nativeSessionId]);
  return (
    <section className="log" aria-label="Raw ACP">
      {error === undefined ? null : <ProblemView error={error} onRetry={retry} />}
      <LogList
        label="ACP messages"
        records={shown}
        empty={serverId === undefined ? "No process of the agent runs." : "No message matches the filter."}
        actions={(record) => (
          <CopyMenu
            object={{ type: "message", serverId: serverId ?? "", eventId: record.id }}
            name="message"
          />
        )}
      />
    </section>
  );
}
