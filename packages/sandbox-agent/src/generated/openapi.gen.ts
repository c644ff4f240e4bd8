// Generated from openapi/openapi.json by `cargo xtask gen`. Do not edit.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get name, version and links
         * @description Returns the name and version of the daemon and the paths of its main resources.
         */
        get: operations["getInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/acp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a connection or a session
         * @description Each stream has one reader at a time; what was not read waits for the next one. Events carry an `id`; a reader that sends `Last-Event-ID` continues after it and takes over the stream. With `Upgrade: websocket` a new connection is opened (or, with `Acp-Connection-Id`, an existing one is joined) and everything runs over the socket.
         */
        get: operations["streamAcpConnection"];
        put?: never;
        /**
         * Open a connection or send a message
         * @description Without `Acp-Connection-Id` the message must be `initialize`: a new agent is started and its response comes in the body, with the connection's id in the header. With it every message is answered 202 and responses come on the streams.
         */
        post: operations["postAcpConnection"];
        /**
         * Close a connection
         * @description Stops the agent of the connection and ends its streams.
         */
        delete: operations["closeAcpConnection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics
         * @description Returns counters and gauges for Prometheus, in the OpenMetrics text format.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/acp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List ACP servers
         * @description Returns every ACP server in the order of creation, also those whose agent has exited.
         */
        get: operations["listAcpServers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/acp/{serverId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the messages of an agent
         * @description Server-sent events: `message` carries one JSON-RPC message in `data` and its sequence number in `id`. With `Last-Event-ID` the stream continues after that event. Without it, the first stream of a server begins with what the agent has said since it was started, less responses that a POST has taken and requests that were answered; later streams begin with the requests that the agent still waits on. `response` carries the response to a request where clients that match by id alone could take it for their own. `gap` (Gap) says that events before the next one are no longer in the log, `exit` (AgentExit) that the agent ended, `unparsed` (Unparsed) that it wrote something else than a message. A comment comes every 15 seconds. With `Upgrade: websocket` the same stream runs both ways: each text frame is one message, or, with the sub-protocol `sandbox-agent.events.v1`, one object `{event, id, data}`. With the header `Acp-Connection-Id` this is the standard ACP remote transport.
         */
        get: operations["streamAcpMessages"];
        put?: never;
        /**
         * Send a JSON-RPC message to an agent
         * @description The first message of a server names its agent (`?agent=`), which is then started. A request waits for its response. Without it after 10 seconds (`limits.early-answer-ms`) the status 200 is sent, followed by white space and then the response; a failure after that is a JSON-RPC error in the body. `Prefer: wait` waits for the response before it sends a status, so that failures are 502 or 504 however late they come; `Prefer: wait=N` does so for N seconds. `Prefer: respond-async` answers 202 at once and the response arrives on the stream. With the header `Acp-Connection-Id` this is the standard ACP remote transport.
         */
        post: operations["postAcpMessage"];
        /**
         * Stop an ACP server
         * @description Returns when the whole process tree is gone, within two seconds. With the header `Acp-Connection-Id` this is the standard ACP remote transport: 202, or 404 for an unknown connection.
         */
        delete: operations["deleteAcpServer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Returns every agent that this daemon knows, with its installed versions, credentials and capabilities.
         */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent
         * @description Returns one agent with its installed versions, credentials and capabilities.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Uninstall an agent
         * @description Agents that are running keep running. Without `agentVersion` all versions are removed. If nothing was installed, which is always so for an agent that is part of the daemon, `removed` is empty.
         */
        delete: operations["uninstallAgent"];
        options?: never;
        head?: never;
        /**
         * Choose an agent's current version
         * @description `currentVersion` is the installed version that starts unless a session names another one. Agents that are running keep the version that they run.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/v1/agents/{agent}/acp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a connection of an agent
         * @description Does the same as `GET /acp?agent=`, for clients that cannot send a query.
         */
        get: operations["streamAgentAcpConnection"];
        put?: never;
        /**
         * Open a connection to an agent or send a message
         * @description Does the same as `POST /acp?agent=`, for clients that cannot send a query.
         */
        post: operations["postAgentAcpConnection"];
        /**
         * Close a connection of an agent
         * @description Does the same as `DELETE /acp`.
         */
        delete: operations["closeAgentAcpConnection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent}/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Install an agent
         * @description Fetches the agent's program from the first source that has it, checks it against the published digest and puts it in its place at once. Several versions live side by side. `makeCurrent` says whether this one starts when none is named; by default it does, unless a newer version is current. An agent that is part of the daemon (`builtIn`) needs no installation: the answer says so. The installation continues if the client disconnects; the same request again joins it. `POST /v1/agents/{agent}/install/sse` streams the progress.
         */
        post: operations["installAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent}/install/sse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Install an agent and stream the progress
         * @description Installs as `POST /v1/agents/{agent}/install` does and answers with server-sent events, one `InstallEvent` each, named by its `step`. The stream ends with `done` or `failed`. The installation continues if the client disconnects; the same request again joins it.
         */
        post: operations["streamAgentInstallation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent}/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the latest version of an agent
         * @description Asks the agent's sources, in their order. `outdated` is absent if no version is installed.
         */
        get: operations["getLatestAgentVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent}/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models of an agent
         * @description Lists the values of `model` and `variant`. The installed agent itself is asked, by a handshake in an empty directory; its answer is kept for as long as the same version is installed. For an agent that is not installed or not logged in the lists are empty, with `complete` false and a `reason`; an agent without credentials is waited for up to 2 seconds.
         */
        get: operations["listAgentModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent}/modes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the modes of an agent
         * @description Lists the values of `agentMode` and `permissionMode`, and what each combination does. The installed agent itself is asked, by a handshake in an empty directory; its answer is kept for as long as the same version is installed. An agent that is not installed or not logged in cannot be asked: the answer then has what the daemon's catalog knows, with `source` `catalog`, `complete` false and a `reason`.
         */
        get: operations["listAgentModes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/config/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an MCP server
         * @description Returns the configuration of one MCP server of a directory.
         */
        get: operations["getMcpConfig"];
        /**
         * Set an MCP server
         * @description Adds the MCP server, or replaces the one with this name. Aliases of types and members are normalized; unknown members are kept.
         */
        put: operations["setMcpConfig"];
        post?: never;
        /**
         * Delete an MCP server
         * @description Succeeds also if there is no such server.
         */
        delete: operations["deleteMcpConfig"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/config/mcp/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the MCP servers of a directory
         * @description Returns the MCP servers that sessions in this directory use, by name.
         */
        get: operations["listMcpConfigs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/config/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a set of skills
         * @description Returns the configuration of one set of skills of a directory.
         */
        get: operations["getSkillsConfig"];
        /**
         * Set a set of skills
         * @description Adds the set of skills, or replaces the one with this name. Unknown members are kept.
         */
        put: operations["setSkillsConfig"];
        post?: never;
        /**
         * Delete a set of skills
         * @description Succeeds also if there is no such set.
         */
        delete: operations["deleteSkillsConfig"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/config/skills/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sets of skills of a directory
         * @description Returns the sets of skills that sessions in this directory use, by name.
         */
        get: operations["listSkillsConfigs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fs/download-batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a directory as an archive
         * @description Returns a directory, or one file, as a tar archive that is created while it is sent. Links are packed as links; pipes, sockets and devices are left out. A failure in the middle cuts the connection, so that an archive that arrives to its end is complete.
         */
        get: operations["downloadFsBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fs/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a directory
         * @description Entries are sorted by the bytes of their names; links are not followed. With `limit` a directory is listed in pages: if there are more entries the answer has a `Link` header with `rel="next"` and the URL of the next page. Without `limit` the answer has all entries, or is 413 if there are more than one answer may have.
         */
        get: operations["listFsEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fs/entry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a file or directory
         * @description A link is removed itself, also one that leads nowhere; no link is followed into what it points to.
         */
        delete: operations["deleteFsEntry"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fs/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file
         * @description The bytes of a regular file, through links, of any size. Files whose size the system does not know, such as those of `/proc`, come without a length and cannot be read in parts.
         */
        get: operations["readFsFile"];
        /**
         * Write a file
         * @description Replaces the file atomically with the body: readers see the old contents or the new. A file that is replaced keeps its permissions; a link is followed. Directories that are missing are made.
         */
        put: operations["writeFsFile"];
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Get a file's headers
         * @description Answers as `GET` does, without the file's bytes: size, version and time of the last change.
         */
        head: operations["headFsFile"];
        patch?: never;
        trace?: never;
    };
    "/v1/fs/mkdir": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a directory
         * @description Creates missing parents, too. A directory that exists stays as it is.
         */
        post: operations["makeFsDirectory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fs/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a file or directory
         * @description Checks everything before it changes anything. A replaced file is kept until the new one is in place. A move to another file system is a copy followed by a removal. A path that is moved to itself stays. A directory is replaced only by a directory, and only if it is empty.
         */
        post: operations["moveFsEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fs/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search files
         * @description Walks a directory and all below it in the order of paths, along no link. With `name` only entries whose name (or, with a slash in the pattern, whose path) fits; with `content` lines of files that match; with both, lines in files whose name fits. Binary files have no lines. When time or results run out, send `next` as `after` to continue.
         */
        get: operations["searchFs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fs/stat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the properties of a file
         * @description A link is described itself, also one that leads nowhere, unless `follow` asks for what it points to.
         */
        get: operations["statFsEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fs/upload-batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an archive
         * @description A tar archive, plain or compressed with gzip or zstd, is unpacked while it comes in, and put in place when all of it is there: an archive that is refused or breaks off changes nothing. The directory is created if it is missing. Files are replaced, directories merged. Entries that are absolute, climb out, are devices or pipes, or go through a link that leads out of the directory are refused, and so is an archive with too many entries or one that unpacks to too much.
         */
        post: operations["uploadFsBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fs/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream changes to files
         * @description Server-sent events. `ready` (FsWatchReady) comes first: every later change is reported. `change` (FsChange) reports a path; changes within 50 ms are combined. After `overflow` (FsOverflow) changes were lost or parts are not watched, so look at the files again. The stream ends when a watched directory is gone; a watch of one file continues, because the file may be replaced. A comment comes every 15 seconds. There is no replay: after a break, look and watch again. On Linux only.
         */
        get: operations["watchFs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the daemon is alive
         * @description Needs no token. A daemon that is shutting down, or hangs, does not answer.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the OpenAPI document
         * @description Returns the document that describes this API, as the daemon serves it.
         */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List processes
         * @description Returns running processes and the most recent ones that exited, in the order of creation. Commands of `run` are not included.
         */
        get: operations["listProcesses"];
        put?: never;
        /**
         * Start a process
         * @description The process runs until it exits or is stopped, independent of clients. Its output is kept up to a limit in bytes. With `tty` it runs on a terminal of its own with `TERM=xterm-256color`. Processes that it leaves behind are stopped when it exits.
         */
        post: operations["createProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the limits on processes
         * @description Returns the limits that are in force.
         */
        get: operations["getProcessConfig"];
        put?: never;
        /**
         * Change the limits on processes
         * @description Absent members keep their value. The change lasts until the daemon exits. Processes that already run continue, even above a new limit.
         */
        post: operations["setProcessConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a command
         * @description Waits until the command exits, and returns its exit code or signal and the beginning of both output streams. After the timeout the command and everything it started is killed.
         */
        post: operations["runProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/{processId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a process
         * @description Returns the state of one process.
         */
        get: operations["getProcess"];
        put?: never;
        post?: never;
        /**
         * Delete a process
         * @description Forgets a process that has exited, and its output. Succeeds also if there is no such process.
         */
        delete: operations["deleteProcess"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/{processId}/input": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send input to a process
         * @description Queues the input for the process. While the queue is full the answer waits a few seconds.
         */
        post: operations["sendProcessInput"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/{processId}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Kill a process
         * @description Sends SIGKILL to the process and everything it started. A process that has exited is left as it is.
         */
        post: operations["killProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/{processId}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the output of a process
         * @description Returns entries of output by sequence number, from the oldest. When the log is full the oldest entries are dropped; `gap` reports that. Without `limit` all entries are returned.
         */
        get: operations["getProcessLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/{processId}/logs/sse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a process's output
         * @description Server-sent events: `log` (ProcessLogEntry) for each entry, with its number in `id`; `gap` (ProcessLogGap) where entries were dropped before they were sent; `exit` (ProcessExit) when the process has ended. The stream ends after `exit`. Without a cursor or `tail` it starts at the oldest entry. A client that was cut off resumes with `Last-Event-ID` or `lastEventId`.
         */
        get: operations["streamProcessLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/{processId}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a process
         * @description Sends SIGTERM to the process and everything it started, and SIGKILL after a grace period. The grace period continues if the answer comes first. A process that has exited is left as it is.
         */
        post: operations["stopProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/{processId}/terminal/resize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resize the terminal of a process
         * @description Programs on the terminal receive SIGWINCH. All clients of a terminal share its size; the last resize counts.
         */
        post: operations["resizeProcessTerminal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/processes/{processId}/terminal/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Attach to the terminal of a process
         * @description The daemon sends a `TerminalServerFrame` as text, `ready` first, and what the program prints as binary messages, beginning with what was printed before. The client sends a `TerminalClientFrame` as text, or input as binary messages. Any number of clients may watch and type. When the process ends, the daemon sends `exit` and closes; when a client leaves, the process continues. Browsers cannot send headers here and use `?ticket=`.
         */
        get: operations["attachProcessTerminal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Returns a page of the sessions that match all filters, the newest first by `createdAt`: those that run, those that have ended, and those from before the daemon was last started. To get the next page, repeat the request with `after` set to `next`. Paging neither repeats nor skips a session that exists throughout; sessions created meanwhile are on the first page.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Create a session with a new id
         * @description As `createSession`, with an id that the daemon chooses: `sessionId` in the answer, and `Location`. With an `Idempotency-Key` the same request can be sent again without creating a second session: it answers with the session of the first one, or starts its agent again if that has failed. The key lasts as long as the session, also across restarts of the daemon.
         */
        post: operations["createNewSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a session
         * @description Creates a session with the exported events. The next message continues it. Nothing of it is seen before all of it is there. The body may be of any size; a line may be as long as a body elsewhere.
         */
        post: operations["importSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session
         * @description Returns its state, its turn, its queue, the questions and permissions that wait for an answer, and its usage.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Create a session
         * @description Creates a session and starts its agent, which is installed first if it is missing. A request that asks for something that does not exist, such as an unknown mode or model, is refused and creates nothing. If the agent cannot be started for another reason, the session exists with `healthy: false` and `error`. Then the same request, or one with other settings, starts it again, as long as its agent has never started and no message was sent; so does the next message.
         */
        post: operations["createSession"];
        /**
         * Delete a session
         * @description Ends the session and deletes its events; `terminate` keeps them. Its streams end. Deleting a session that does not exist succeeds, too.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        /**
         * Update a session
         * @description Title, model, variant, modes and metadata; what is absent stays. Members of `metadata` are merged, and `null` removes one. The agent gets the change immediately, or when it starts.
         */
        patch: operations["patchSession"];
        trace?: never;
    };
    "/v1/sessions/{sessionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the running turn
         * @description Asks the agent to stop, withdraws the messages that wait, and ends open questions and permissions. `turnEnded` with the reason `cancelled` reports the turn's end, `messageWithdrawn` each message. Where nothing runs, nothing happens.
         */
        post: operations["cancelTurn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events of a session
         * @description Returns the events after `after` in the order of their ids, which count from 1 without gaps. Send `next` as `after` to continue while `hasMore` is true. `types` and `deltas` select events; `limit` counts selected events. A request looks at up to 20,000 events, so a page with a filter may be empty although `hasMore` is true. If events after `after` are no longer kept, `oldest` is set and the page begins with the oldest event. The same holds if `after` is beyond the newest event: it then belongs to an earlier session of that id, or to one that was imported again.
         */
        get: operations["getEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/events/sse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events of a session
         * @description Streams the events after `after`, then each as it happens, as server-sent events. `id:` is the event's id and `data:` the event as `getEvents` has it; these events have no name. Other names carry facts of the transport: `gap` (`Gap`) where events are no longer kept or `after` is beyond the newest event, after which the stream continues with the oldest event; `failure` (`Problem`) when the events cannot be read, after which the stream ends. A comment comes every 15 seconds. A client that was cut off continues with `Last-Event-ID`. `types` and `deltas` select events; ids stay as they are. The stream ends after the session's `ended`.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a session
         * @description The first line is the session's record, each line after it an event, up to the newest one now. It holds no credentials and no variables of the agent's environment. The agent's own session files are not in it.
         */
        get: operations["exportSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fork a session
         * @description Creates a session that continues from this one's conversation on its own. Only agents that can fork support this, unless `until` is given.
         */
        post: operations["forkSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's messages
         * @description Returns the transcript: every message in its newest state, without the events that led to it. A user's message stands where its turn began; one that waits for its turn comes after all others, in the order of the queue. To show a session, read the transcript, then stream events after `eventsAfter` of the first page. Use `order=desc` to read the end of a long session first. A page may have fewer than `limit` messages, as pages are limited to about 1 MiB; `hasMore` says whether more follow. If a message moves while you read, such as one whose turn begins, it may be on two pages. Messages whose events are no longer kept are left out.
         */
        get: operations["getMessages"];
        put?: never;
        /**
         * Send a message
         * @description The message is stored, and given to the agent when its turn has come: at once, after the turn that runs and the messages before it (`queue`), or instead of the turn that runs (`interrupt`). The events report what the agent does. The same message again under the same `Idempotency-Key` is accepted once, and answered in the same way.
         */
        post: operations["postMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/messages/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message and stream its turn
         * @description As `postMessage`, but the answer is a stream of events, from the message itself to the `turnEnded` of its turn, or to its `messageWithdrawn`; then the stream ends, also if `types` leaves that out. Questions and permissions are answered meanwhile by other requests. After a disconnect, continue at `events/sse` with the last id it has seen; the turn does not need it. `gap` means that the events are no longer kept; it ends this stream.
         */
        post: operations["postMessageStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw a message that waits
         * @description Takes one message out of the queue; `messageWithdrawn` reports it. Withdrawing a message that does not wait succeeds, too, unless its turn has begun: `cancel` stops a running turn.
         */
        delete: operations["withdrawMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/permissions/{permissionId}/reply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a permission request
         * @description `once`, `always` or `reject`. Where the agent has several options of one kind, `optionId` names the one that is meant. A `message` with a rejection becomes the next message to the agent. `always` with a `rule` allows the calls that match it for the rest of the session, open requests included.
         */
        post: operations["replyToPermission"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/questions/{questionId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a question
         * @description The agent learns that nobody answers, and continues as it sees fit.
         */
        post: operations["rejectQuestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/questions/{questionId}/reply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a question
         * @description `answers` has one entry for each of the questions: the labels that were chosen, or what was written. Questions that need no answer may have an empty entry. The approval of a plan is a question, too. Answers are checked against the question's bounds, such as `maximum`; if one does not fit, nothing is sent to the agent and the question stays open.
         */
        post: operations["replyToQuestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reorder the messages that wait
         * @description Gives the listed messages each other's places in the queue, so that they begin in this order; other messages keep their places. Messages that do not wait are ignored, so a message that begins meanwhile is no error. `queueReordered` reports the new order.
         */
        put: operations["reorderQueue"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a session
         * @description Continues with messages that are held since the daemon was restarted (`queueHeld`). If none wait, starts the agent of an `interrupted` session again; `healthy` and `error` say whether that worked. Where nothing has to be resumed, nothing happens.
         */
        post: operations["resumeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/terminate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Terminate a session
         * @description Cancels the running turn, withdraws the messages that wait, and stops the agent. `ended` is the last event. Ending a session twice succeeds, too.
         */
        post: operations["terminateSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a ticket for a stream
         * @description For browsers, which cannot send headers when they open an `EventSource` or a WebSocket: put the ticket into the URL as `?ticket=`. A ticket opens GET operations that have the parameter `ticket`, and nothing else. Without `path` it works once, within 30 seconds. With `path` it works any number of times, for that path alone and for an hour, so an `EventSource` may reconnect with it. All tickets end with the daemon; `DELETE /v1/tickets/{ticket}` ends one earlier. Streams that are open stay open.
         */
        post: operations["issueTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tickets/{ticket}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a ticket
         * @description The ticket opens nothing from now on. Revoking a ticket that does not exist succeeds, too. Streams that are open stay open.
         */
        delete: operations["revokeTicket"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum up tokens and cost
         * @description Returns tokens and cost of the turns that this daemon ran, in groups, with the sum of all groups. A turn counts at the time when it ended. Turns of deleted sessions count; turns that came with an import or a fork do not, as they were counted where they ran. To get the next page, repeat the request with `after` set to `next`.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An ACP server. */
        AcpServer: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Version of the agent that runs or ran last, if it is known. */
            agentVersion?: string;
            /** @description Time at which the server was created. */
            createdAt: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @deprecated
             * @description `createdAt` in milliseconds since 1970.
             */
            createdAtMs: number;
            /** @description Exit of the agent, if it exited. */
            exit?: components["schemas"]["AgentExit"];
            /**
             * Format: int64
             * @description Id of the newest event. 0 before the first event.
             */
            lastEventId: number;
            /** @description Number of requests that the agent has not answered. */
            pendingRequests: number;
            /**
             * Format: int32
             * @description Process id of the agent while it runs.
             */
            pid?: number;
            /** @description Id of the server. */
            serverId: string;
            /**
             * @description The sessions whose agent it runs, if the daemon started it for sessions. Such a server ends with its sessions and cannot be
             *     deleted.
             */
            sessionIds?: string[];
            /** @description Status of the agent. */
            status: components["schemas"]["AcpServerStatus"];
        };
        /** @description The ACP servers of this daemon. */
        AcpServerList: {
            /** @description ACP servers in the order of creation. */
            servers: components["schemas"]["AcpServer"][];
        };
        /**
         * @description Status of the agent of an ACP server.
         * @enum {string}
         */
        AcpServerStatus: "installing" | "starting" | "running" | "exited";
        /** @description Capabilities of an agent. */
        AgentCapabilities: {
            /** @description Reports commands and their output. */
            commandExecution: boolean;
            /** @description Reports errors as such. */
            errorEvents: boolean;
            /** @description Takes files in prompts. */
            fileAttachments: boolean;
            /** @description Reports changes to files as differences. */
            fileChanges: boolean;
            /** @description Takes images in prompts. */
            images: boolean;
            /** @description Reports an item when it starts, not only when it is complete. */
            itemStarted: boolean;
            /** @description Uses tools of MCP servers. */
            mcpTools: boolean;
            /** @description Asks before it acts. */
            permissions: boolean;
            /** @description Has a mode that only plans. */
            planMode: boolean;
            /** @description Asks the user questions. */
            questions: boolean;
            /** @description Reports its reasoning. */
            reasoning: boolean;
            /** @description Sessions can be listed, loaded or resumed. */
            sessionLifecycle: boolean;
            /** @description One process serves several sessions. */
            sharedProcess: boolean;
            /** @description Reports its activity. */
            status: boolean;
            /** @description Streams its text in pieces. */
            streamingDeltas: boolean;
            /** @description Writes text. */
            textMessages: boolean;
            /** @description Reports its tool calls. */
            toolCalls: boolean;
            /** @description Reports the results of tools. */
            toolResults: boolean;
        };
        /** @description One thing to choose. */
        AgentChoice: {
            /** @description Description of the choice. */
            description?: string;
            /** @description Id of the choice. */
            id: string;
            /** @description Display name of the choice. */
            name: string;
        };
        /** @description A value in a group of values. */
        AgentConfigChoice: {
            /** @description Description. */
            description?: string;
            /** @description Display name. */
            name: string;
            /** @description The value. */
            value: string;
        };
        /**
         * @description Kind of a config option.
         * @enum {string}
         */
        AgentConfigKind: "select" | "boolean";
        /** @description One of ACP's session config options. */
        AgentConfigOption: {
            /** @description Category of the option: `mode`, `model`, `thought_level`, or one of the agent's own. */
            category?: string;
            /** @description The value that new sessions start with. */
            currentValue: components["schemas"]["OptionValue"];
            /** @description Description of the option. */
            description?: string;
            /** @description Id of the option, as `options` of a session takes it. */
            id: string;
            /** @description Display name of the option. */
            name: string;
            /** @description Values to choose from, for a `select`. */
            options?: components["schemas"]["AgentConfigValue"][];
            /** @description Kind of the option. */
            type: components["schemas"]["AgentConfigKind"];
        };
        /** @description A value of a config option, or a group of values. */
        AgentConfigValue: {
            /** @description Description. */
            description?: string;
            /** @description The id of the group; absent for a value. */
            group?: string;
            /** @description Display name. */
            name: string;
            /** @description The values in the group; absent for a value. */
            options?: components["schemas"]["AgentConfigChoice"][];
            /** @description The value; absent for a group. */
            value?: string;
        };
        /** @description The reason why an agent is not ready. `type` names the single other member, which has the details. */
        AgentError: components["schemas"]["AgentTokenError"] | components["schemas"]["AgentProcessExitedError"] | components["schemas"]["AgentInstallFailedError"] | components["schemas"]["AgentSpawnFailedError"] | components["schemas"]["AgentUnsupportedError"] | components["schemas"]["AgentTimeoutError"] | components["schemas"]["AgentProtocolError"];
        /** @description Exit of an agent. Data of the `exit` event. */
        AgentExit: {
            /**
             * Format: int32
             * @description Exit code, if the agent exited by itself.
             */
            code: number | null;
            /**
             * Format: int32
             * @description Number of the signal that ended the agent.
             */
            signal: number | null;
            /** @description End of the agent's standard error. */
            stderrTail: string;
        };
        /** @description An agent. */
        AgentInfo: {
            /** @description True if the agent is part of the daemon, so that there is nothing to install or remove. */
            builtIn: boolean;
            /** @description Capabilities of the agent. */
            capabilities: components["schemas"]["AgentCapabilities"];
            /** @description Reason why there are no config options. Present only with `config=true`. */
            configError?: string;
            /** @description Models, modes and efforts, as ACP's session config options. Only with `?config=true`. */
            configOptions?: components["schemas"]["AgentConfigOption"][];
            /** @description Availability of a credential for the agent's model. */
            credentialStatus: components["schemas"]["CredentialStatus"];
            /** @description Credentials that were found, without their values. */
            credentials: components["schemas"]["CredentialInfo"][];
            /**
             * @deprecated
             * @description Use `credentialStatus`. This is true unless that is `missing`, so also if nothing is known.
             */
            credentialsAvailable: boolean;
            /** @description Description of the agent. */
            description?: string;
            /** @description Id of the agent. */
            id: string;
            /** @description True if this daemon can install the agent. */
            installable: boolean;
            /** @description True if the agent can be started without installing anything. */
            installed: boolean;
            /** @description Way in which the agent is started. */
            launch: components["schemas"]["AgentLaunch"];
            /** @description Display name of the agent. */
            name: string;
            /** @description The program that would start. */
            path?: string;
            /** @description Number of ACP servers that run the agent. */
            running: number;
            /** @description The state of its processes; absent if none runs. */
            serverStatus?: components["schemas"]["AgentServerStatus"];
            /** @description Source of the program: a kind of source, `path` for a program of the machine, or `builtin`. */
            source?: string;
            /** @description The version that would start; absent if only the program itself knows it. */
            version?: string;
            /** @description The installed versions, newest first. */
            versions: components["schemas"]["InstalledVersion"][];
        };
        /** @description The agent's program could not be installed. */
        AgentInstallFailedError: {
            installFailed: components["schemas"]["AgentInstallFailedErrorDetails"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "installFailed";
        };
        /** @description Details of `installFailed`. */
        AgentInstallFailedErrorDetails: {
            /** @description Description of the problem. */
            message: string;
        };
        /** @description Way in which an agent is started. */
        AgentLaunch: components["schemas"]["BuiltinLaunch"] | components["schemas"]["CommandLaunch"] | components["schemas"]["InstallOnlyLaunch"];
        /** @description The agents that this daemon knows. */
        AgentList: {
            /** @description Agents in the order of their ids. */
            agents: components["schemas"]["AgentInfo"][];
        };
        /** @description The models of an agent. */
        AgentModels: {
            /** @description True if the list has all models that the agent lists. False if the agent could not be asked. */
            complete: boolean;
            /** @description The one that new sessions use. */
            current?: string;
            /** @description The one that new sessions use. */
            currentVariant?: string;
            /** @description The values of `model`. */
            models: components["schemas"]["AgentChoice"][];
            /** @description Reason why the agent could not be asked. Absent if it was asked. */
            reason?: string;
            /** @description Source of the list. */
            source: components["schemas"]["OfferSource"];
            /** @description The values of `variant`: how hard the model thinks. */
            variants: components["schemas"]["AgentChoice"][];
        };
        /** @description The modes of an agent. */
        AgentModes: {
            /** @description Each `agentMode` with each `permissionMode`. With `source` `catalog`, only those that are known. */
            combinations: components["schemas"]["ModeCombination"][];
            /** @description True if the list has all modes. False if the agent could not be asked. */
            complete: boolean;
            /** @description The one that new sessions start in. */
            current?: string;
            /** @description The values of `agentMode`: `build`, `plan`, then the agent's own modes and agents. */
            modes: components["schemas"]["AgentChoice"][];
            /** @description The values of `permissionMode`. */
            permissionModes: components["schemas"]["AgentChoice"][];
            /** @description Reason why the agent could not be asked. Absent if it was asked. */
            reason?: string;
            /** @description Source of the list. */
            source: components["schemas"]["OfferSource"];
        };
        /** @description Changes to an agent; absent members stay as they are. */
        AgentPatch: {
            /** @description The installed version that starts unless a session names another one. */
            currentVersion: string;
        };
        /** @description The agent's process exited. */
        AgentProcessExitedError: {
            processExited: components["schemas"]["AgentProcessExitedErrorDetails"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "processExited";
        };
        /** @description Details of `processExited`. */
        AgentProcessExitedErrorDetails: {
            /** @description Exit of the process. */
            exit: components["schemas"]["AgentExit"];
            /** @description Description of the problem. */
            message: string;
        };
        /** @description The agent replied with an error, or violated the protocol. */
        AgentProtocolError: {
            protocol: components["schemas"]["AgentProtocolErrorDetails"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "protocol";
        };
        /** @description Details of `protocol`. */
        AgentProtocolErrorDetails: {
            /** @description The agent's own error. */
            details?: unknown;
            /** @description Description of the problem. */
            message: string;
        };
        /**
         * @description State of an agent's processes.
         * @enum {string}
         */
        AgentServerState: "running";
        /** @description The state of an agent's processes. */
        AgentServerStatus: {
            /** @description State of the processes. */
            status: components["schemas"]["AgentServerState"];
            /**
             * Format: int64
             * @description Milliseconds since the oldest of the processes started.
             */
            uptimeMs: number;
        };
        /** @description The agent's process could not be started. */
        AgentSpawnFailedError: {
            spawnFailed: components["schemas"]["AgentSpawnFailedErrorDetails"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "spawnFailed";
        };
        /** @description Details of `spawnFailed`. */
        AgentSpawnFailedErrorDetails: {
            /** @description Description of the problem. */
            message: string;
        };
        /** @description The agent did not reply in time. */
        AgentTimeoutError: {
            timeout: components["schemas"]["AgentTimeoutErrorDetails"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "timeout";
        };
        /** @description Details of `timeout`. */
        AgentTimeoutErrorDetails: {
            /** @description Description of the problem. */
            message: string;
        };
        /** @description The provider rejected the credentials, or there are none. */
        AgentTokenError: {
            tokenError: components["schemas"]["AgentTokenErrorDetails"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tokenError";
        };
        /** @description Details of `tokenError`. */
        AgentTokenErrorDetails: {
            /** @description Description of the problem. */
            message: string;
        };
        /** @description The agent does not support a setting of the session, such as its mode or model. */
        AgentUnsupportedError: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "unsupported";
            unsupported: components["schemas"]["AgentUnsupportedErrorDetails"];
        };
        /** @description Details of `unsupported`. */
        AgentUnsupportedErrorDetails: {
            /** @description Description of the problem. */
            message: string;
        };
        /** @description A rule that allows calls in this session without asking. Every member that is present must match. */
        AllowRule: {
            /** @description Pattern for the command, path or address, up to 8192 characters; `*` matches any characters. Absent: every call of the tool. */
            input?: string;
            /**
             * @description The tool: its own name or its kind (`read`, `edit`, `execute`, …); `*` stands for any characters. Up to 8192
             *     characters.
             */
            tool: string;
        };
        /** @description Content in base64. */
        Base64Source: {
            /** @description The content. */
            data: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "base64";
        };
        /** @description By code in the daemon. */
        BuiltinLaunch: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "builtin";
            /** @description The vendor's program that this code drives. */
            program?: string;
        };
        /** @description Result of a cancellation. */
        CancelResult: {
            /** @description Id of the turn that is being cancelled. Absent if no turn runs. */
            turnId?: string;
            /** @description Number of queued messages that were withdrawn. */
            withdrawn: number;
        };
        /**
         * @description Current mode, model and variant of a session, with the lists of choices that differ from those before. A list that is absent
         *     is as it was; before the first event all lists are empty.
         */
        ChangedChoices: {
            /** @description The agent's own mode. */
            mode?: string;
            /** @description The model. */
            model?: string;
            /** @description Models to choose from. */
            models?: components["schemas"]["SessionChoice"][];
            /** @description Modes to choose from. */
            modes?: components["schemas"]["SessionChoice"][];
            /** @description Other options with their values; all of them if one has changed. */
            options?: components["schemas"]["SessionOption"][];
            /** @description The model's variant. */
            variant?: string;
            /** @description Variants of the model to choose from. */
            variants?: components["schemas"]["SessionChoice"][];
        };
        /** @description A group of choices. */
        ChoiceGroup: {
            /** @description Id of the group. */
            id: string;
            /** @description Display name of the group. */
            name: string;
        };
        /** @description A command that a message may begin with, after a slash. */
        Command: {
            /** @description Description of the command. */
            description: string;
            /** @description Hint for the input of the command. Absent if it takes none. */
            inputHint?: string;
            /** @description Name of the command, without the slash. */
            name: string;
        };
        /** @description By a command that speaks ACP on its standard streams. */
        CommandLaunch: {
            /** @description Arguments of the program. */
            args: string[];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "command";
            /** @description The program. */
            program: string;
        };
        /** @description Commands that a message may begin with. */
        CommandsAvailable: {
            /** @description All commands. */
            commands: components["schemas"]["Command"][];
        };
        /** @description Commands that a message may begin with. Replaces the commands before. */
        CommandsAvailableEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["CommandsAvailableEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "commandsAvailable";
        };
        /** @description Data of the event `commandsAvailable`. */
        CommandsAvailableEventData: {
            commandsAvailable: components["schemas"]["CommandsAvailable"];
        };
        /** @description A summary of the conversation that replaces it in the agent's context. */
        Compaction: {
            /** @description Id of the compaction. */
            id?: string;
            /** @description Output of the agent. */
            raw: unknown;
            /** @description Status of the compaction, in the agent's own words. */
            status?: string;
            /** @description A piece of the summary. */
            summary?: string;
        };
        /** @description The agent summarized the conversation to make room in its context. */
        CompactionEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["CompactionEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "compaction";
        };
        /** @description Data of the event `compaction`. */
        CompactionEventData: {
            compaction: components["schemas"]["Compaction"];
        };
        /** @description The agent's memory of the conversation after a restart. */
        Continuity: {
            /** @description Kind of the memory. */
            kind: components["schemas"]["ContinuityKind"];
            /** @description Reason why the kind is not `native`. */
            reason?: string;
        };
        /** @description The agent's memory of the conversation after a restart. */
        ContinuityEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["ContinuityEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "continuity";
        };
        /** @description Data of the event `continuity`. */
        ContinuityEventData: {
            continuity: components["schemas"]["Continuity"];
        };
        /**
         * @description Kind of an agent's memory after a restart.
         * @enum {string}
         */
        ContinuityKind: "native" | "replayed" | "lost";
        /** @description A failure. */
        CrashInfo: {
            /** @description Details from the agent. */
            details?: unknown;
            /** @description Exit of the agent, if it exited. */
            exit?: components["schemas"]["AgentExit"];
            /**
             * @description Kind of the failure, such as `agentExited`, `authRequired`, `installFailed`, `spawnFailed`,
             *     `unsupported`, `timeout`, `protocol`, `promptFailed`, `unparsed`, `gap`.
             */
            kind: string;
            /** @description Description of the failure. */
            message: string;
            /** @description Id of the turn in which the failure happened. */
            turnId?: string;
        };
        /** @description Settings of a new session. */
        CreateSession: {
            /** @description Id of the agent. */
            agent: string;
            /**
             * @description Task of the agent: `build` if absent, `plan`, or one of the agent's own modes or agents, as `GET /v1/agents/{agent}/modes`
             *     lists them.
             */
            agentMode?: string;
            /** @description Version of the agent. Defaults to the current one. */
            agentVersion?: string;
            /** @description Working directory, relative to the workspace. Defaults to the workspace. */
            cwd?: string;
            /** @description Environment variables of the agent. They are kept in memory only. */
            env?: {
                [key: string]: string;
            };
            /** @description MCP servers by name, in addition to those of the directory. */
            mcp?: {
                [key: string]: components["schemas"]["McpServerConfig"];
            };
            /** @description Metadata of the client's choice. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Model. Defaults to the agent's own choice. */
            model?: string;
            /** @description Other options of the agent, by id, as `choices.options` of a session lists them. */
            options?: {
                [key: string]: components["schemas"]["OptionValue"];
            };
            /** @description Permission mode. */
            permissionMode?: components["schemas"]["PermissionMode"];
            /** @description Rules that decide permission requests without a client. */
            policy?: components["schemas"]["PermissionPolicy"];
            /** @description Sets of skills by name, in addition to those of the directory. */
            skills?: {
                [key: string]: components["schemas"]["SkillsConfig"];
            };
            /** @description Title of the session. The agent may set one if it is absent. */
            title?: string;
            /** @description Credential for the model's provider. It is kept in memory only, so it must be sent again after a restart of the daemon. */
            token?: string;
            /** @description Checks the credential with the provider before anything is started. */
            validateToken?: boolean;
            /** @description Variant of the model, such as `high`. */
            variant?: string;
            /** @description Webhook that receives the events of the session. */
            webhook?: components["schemas"]["Webhook"];
        };
        /** @description A credential that was found, without its value. */
        CredentialInfo: {
            /** @description Time at which the credential expires. */
            expiresAt?: components["schemas"]["Timestamp"];
            /** @description Kind of the credential, such as `apiKey` or `oauth`. */
            kind: string;
            /** @description Variable or file that holds the credential. */
            origin: string;
            /** @description Provider of the credential, such as `anthropic`. */
            provider: string;
        };
        /**
         * @description Availability of a credential for an agent's model.
         * @enum {string}
         */
        CredentialStatus: "available" | "missing" | "unknown" | "notNeeded";
        /**
         * @description Decision of a rule.
         * @enum {string}
         */
        Decision: "allow" | "ask" | "deny";
        /**
         * @description Delivery of a message while a turn runs.
         * @enum {string}
         */
        Delivery: "queue" | "interrupt";
        /**
         * @description Part of a message that a piece continues.
         * @enum {string}
         */
        DeltaKind: "text" | "reasoning" | "output";
        /** @description A change to a file. */
        Diff: {
            /** @description Content after the change. */
            newText: string;
            /** @description Content before the change. Absent for a new file. */
            oldText?: string;
        };
        /** @description A change to a file. */
        DiffContent: {
            /** @description Other members that the agent sent. */
            extra?: {
                [key: string]: unknown;
            };
            /** @description Content after the change. */
            newText: string;
            /** @description Content before the change. Absent for a new file. */
            oldText?: string;
            /** @description Path of the file. */
            path: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "diff";
        };
        /** @description End of the session. */
        Ended: {
            /** @description Reason: `terminated`. */
            reason: string;
        };
        /** @description The session ended. */
        EndedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["EndedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ended";
        };
        /** @description Data of the event `ended`. */
        EndedEventData: {
            ended: components["schemas"]["Ended"];
        };
        /** @description A failure. */
        ErrorEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["ErrorEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
        };
        /** @description Data of the event `error`. */
        ErrorEventData: {
            error: components["schemas"]["CrashInfo"];
        };
        /** @description A failure. */
        ErrorPart: {
            /** @description Description of the failure. */
            message: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
        };
        /** @description A page of events. */
        EventPage: {
            /** @description Events in the order of their ids. */
            events: components["schemas"]["UniversalEvent"][];
            /**
             * @description True if more events follow. With a filter: true if more events follow that pass it, or may follow, as a request looks
             *     at a limited number of events.
             */
            hasMore: boolean;
            /**
             * Format: int64
             * @description Id of the last event that was looked at: send it as `after` to continue.
             */
            next: number;
            /**
             * Format: int64
             * @description Id of the oldest event that is kept. Present if events after `after` are no longer kept, or if `after` is beyond the newest
             *     event; the page then begins with the oldest event.
             */
            oldest?: number;
        };
        /**
         * @description Name of a kind of event.
         * @enum {string}
         */
        EventType: "started" | "message" | "messageDelta" | "questionAsked" | "questionResolved" | "permissionAsked" | "permissionResolved" | "plan" | "turnStarted" | "turnEnded" | "messageWithdrawn" | "queueHeld" | "queueReleased" | "queueReordered" | "modeChanged" | "infoChanged" | "commandsAvailable" | "usage" | "notice" | "compaction" | "error" | "continuity" | "ended" | "unknown";
        /** @description A file, or a link to a file. */
        FileContent: {
            /** @description Other members that the agent sent. */
            extra?: {
                [key: string]: unknown;
            };
            /** @description Media type of the content. */
            mimeType?: string;
            /** @description Name of the file, if `path` does not contain it. */
            name?: string;
            /** @description Path or address of the file. */
            path: string;
            /** @description Content of the file. */
            source?: components["schemas"]["FileSource"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file";
        };
        /** @description A file, or a change to a file. */
        FilePart: {
            /** @description Change to the file. */
            diff?: components["schemas"]["Diff"];
            /** @description Other members that the agent sent. */
            extra?: {
                [key: string]: unknown;
            };
            /** @description Media type of the content. */
            mimeType?: string;
            /** @description Name of the file, if `path` does not contain it. */
            name?: string;
            /** @description Path or address of the file. */
            path?: string;
            /** @description Content of the file. Absent for a change. */
            source?: components["schemas"]["FileSource"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file";
        };
        /** @description Content of a file or image. */
        FileSource: components["schemas"]["TextSource"] | components["schemas"]["Base64Source"] | components["schemas"]["UriSource"];
        /** @description Settings of a fork. */
        ForkSession: {
            /** @description Id of the new session. Generated if absent. */
            sessionId?: string;
            /** @description Title of the new session. */
            title?: string;
            /**
             * Format: int64
             * @description Id of the last event that the new session has. By default all events are copied and the agent forks its own session. With
             *     this, a new session of the agent is given the conversation as text, which works with every agent.
             */
            until?: number;
        };
        /** @description Result of an action on a file. */
        FsActionResponse: {
            /** @description Absolute path. */
            path: string;
        };
        /** @description A change to a file. Data of the event `change`. */
        FsChange: {
            /** @description True for a directory, if it is known. */
            directory: boolean;
            /** @description Exact path, percent-encoded for a query. Present only if the path is not UTF-8. */
            encodedPath?: string;
            /** @description Kind of the change. */
            kind: components["schemas"]["FsChangeKind"];
            /** @description Absolute path. */
            path: string;
        };
        /**
         * @description Kind of a change to a file.
         * @enum {string}
         */
        FsChangeKind: "created" | "modified" | "removed";
        /** @description An entry of a directory. */
        FsEntry: {
            /** @description Exact path, percent-encoded for a query. Present only if the path is not UTF-8. */
            encodedPath?: string;
            /** @description Type of the entry. Links are not followed. */
            entryType: components["schemas"]["FsEntryType"];
            /** @description Permissions as four octal digits, such as `0644`. */
            mode: string;
            /** @description Time of the last change of the content, in RFC 3339. */
            modified: string;
            /** @description Name of the entry. Bytes that are not UTF-8 are replaced; `encodedPath` has the exact path. */
            name: string;
            /** @description Absolute path. */
            path: string;
            /**
             * Format: int64
             * @description Size in bytes; for a link the length of its target.
             */
            size: number;
            /** @description Target of a link. */
            target?: string;
        };
        /**
         * @description Type of a file.
         * @enum {string}
         */
        FsEntryType: "file" | "directory" | "symlink" | "other";
        /** @description A match of a search: an entry, or a line of a file. */
        FsMatch: {
            /**
             * Format: int64
             * @description Position of the first match in the line, in bytes, starting at 1.
             */
            column?: number;
            /** @description Exact path, percent-encoded for a query. Present only if the path is not UTF-8. */
            encodedPath?: string;
            /** @description Type of the entry. */
            entryType: components["schemas"]["FsEntryType"];
            /**
             * Format: int64
             * @description Line number, starting at 1, in a search for content.
             */
            line?: number;
            /** @description True if the file has more matching lines that are not in the results. */
            more?: boolean;
            /** @description Absolute path. */
            path: string;
            /** @description The line without its end, cut after some hundred bytes. */
            text?: string;
        };
        /** @description A file or directory to move. */
        FsMoveRequest: {
            /** @description Path of the file or directory. A link is moved itself. */
            from: string;
            /** @description Replaces an existing file. Without it, an existing `to` is a conflict. */
            overwrite?: boolean | null;
            /** @description New path. Missing parent directories are created. */
            to: string;
        };
        /** @description Result of a move. */
        FsMoveResponse: {
            /** @description Absolute path before the move. */
            from: string;
            /** @description Absolute path after the move. */
            to: string;
        };
        /** @description Loss of changes. Data of the event `overflow`: changes were lost, or parts are not watched. List the directory again. */
        FsOverflow: {
            /** @description Directory whose changes may be missing. */
            path: string;
            /** @description Reason of the loss. */
            reason: string;
        };
        /** @description Result of a search. */
        FsSearchResponse: {
            /** @description Matches in the order of their paths. */
            matches: components["schemas"]["FsMatch"][];
            /** @description Cursor to continue: send it as `after`. Absent if everything was searched. */
            next?: string;
            /**
             * Format: int64
             * @description Number of entries that were examined.
             */
            searched: number;
            /**
             * Format: int64
             * @description Number of files that could not be searched: no permission, or a line that is too long.
             */
            skipped: number;
        };
        /** @description Properties of a file. */
        FsStat: {
            /** @description Type of the file. */
            entryType: components["schemas"]["FsEntryType"];
            /** @description Entity tag of this version of a regular file, for `If-Match` and `If-None-Match`. */
            etag?: string;
            /** @description Permissions as four octal digits, such as `0644`. */
            mode: string;
            /** @description Time of the last change of the content, in RFC 3339. */
            modified: string;
            /** @description Absolute path. */
            path: string;
            /**
             * Format: int64
             * @description Size in bytes; for a link the length of its target.
             */
            size: number;
            /** @description Target of a link. */
            target?: string;
        };
        /** @description Result of unpacking an archive. */
        FsUploadBatchResponse: {
            /**
             * Format: int64
             * @description Number of bytes of content that were written.
             */
            bytes: number;
            /**
             * Format: int64
             * @description Number of entries of the archive.
             */
            entries: number;
            /** @description Absolute paths of the files and links that were written, at most 1024. */
            paths: string[];
            /** @description True if there are more paths. */
            truncated: boolean;
        };
        /** @description Data of a server-sent event: of `change` an FsChange, of `ready` an FsWatchReady, of `overflow` an FsOverflow. */
        FsWatchData: components["schemas"]["FsChange"] | components["schemas"]["FsWatchReady"] | components["schemas"]["FsOverflow"];
        /** @description Start of a watch. Data of the event `ready`; every later change is reported. */
        FsWatchReady: {
            /**
             * Format: int64
             * @description Number of directories that are watched.
             */
            directories: number;
            /** @description Absolute path that is watched. */
            path: string;
        };
        /** @description A file that was written. */
        FsWriteResponse: {
            /**
             * Format: int64
             * @description Size of the file in bytes.
             */
            bytesWritten: number;
            /** @description Entity tag of the new version. */
            etag: string;
            /** @description Absolute path. */
            path: string;
        };
        /** @description A function for the client to call. */
        FunctionCallPart: {
            /** @description Arguments of the function. */
            arguments: unknown;
            /** @description Id of the call, unique in its session. */
            id: string;
            /** @description Name of the function. */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "functionCall";
        };
        /** @description Result of a function that the client called. */
        FunctionResultPart: {
            /** @description Id of the call. */
            id: string;
            /** @description True if the call failed. */
            isError: boolean;
            /** @description Name of the function, if it is known. */
            name?: string;
            /** @description Result of the function. */
            result: unknown;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "functionResult";
        };
        /** @description Events that are no longer kept. Data of the `gap` event. */
        Gap: {
            /**
             * Format: int64
             * @description Id of the newest event.
             */
            newest: number;
            /**
             * Format: int64
             * @description Id of the oldest event that is kept; the stream continues with it. 0 if there is none.
             */
            oldest: number;
        };
        /** @description Health of the daemon. */
        Health: {
            /** @description Always `ok`. */
            status: string;
            /**
             * Format: int64
             * @description Milliseconds since the daemon started.
             */
            uptimeMs: number;
            /** @description Version of the daemon. */
            version: string;
        };
        /** @description An image. */
        ImageContent: {
            /** @description Other members that the agent sent. */
            extra?: {
                [key: string]: unknown;
            };
            /** @description Media type of the image. */
            mimeType: string;
            /** @description Content of the image. */
            source: components["schemas"]["FileSource"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image";
        };
        /** @description An image. */
        ImagePart: {
            /** @description Description of the image. */
            alt?: string;
            /** @description Other members that the agent sent. */
            extra?: {
                [key: string]: unknown;
            };
            /** @description Media type of the image. */
            mimeType: string;
            /** @description Content of the image. */
            source: components["schemas"]["FileSource"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image";
        };
        /** @description Name, version and links of the daemon. */
        Info: {
            /** @description Paths of the main resources. */
            links: components["schemas"]["InfoLinks"];
            /** @description Always `sandbox-agent`. */
            name: string;
            /** @description Version of the daemon. */
            version: string;
        };
        /** @description Change of the title. */
        InfoChanged: {
            /** @description The title. Absent if there is none any more. */
            title?: string;
        };
        /** @description The title changed. */
        InfoChangedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["InfoChangedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "infoChanged";
        };
        /** @description Data of the event `infoChanged`. */
        InfoChangedEventData: {
            infoChanged: components["schemas"]["InfoChanged"];
        };
        /** @description Paths of the main resources. */
        InfoLinks: {
            /** @description Path of the standard ACP remote transport. */
            acp: string;
            /** @description Path of the ACP servers. */
            acpServers: string;
            /** @description Path of the agents. */
            agents: string;
            /** @description Path of the health check. */
            health: string;
            /** @description Path of the metrics. */
            metrics: string;
            /** @description Path of the OpenAPI document. */
            openapi: string;
            /** @description Path of the sessions. */
            sessions: string;
        };
        /** @description A part of a message to an agent. */
        InputPart: components["schemas"]["TextPart"] | components["schemas"]["FilePart"] | components["schemas"]["ImagePart"];
        /** @description The version is put in place. */
        InstallActivatingEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            step: "activating";
        };
        /** @description Settings of an installation. */
        InstallAgent: {
            /** @description Taken for compatibility and without effect: an agent is one program of one version here. */
            agentProcessVersion?: string;
            /** @description A version, or a name such as `latest`, which it is by default. */
            agentVersion?: string;
            /** @description Makes this the version that starts when none is named. Defaults to true, unless a newer version is current. */
            makeCurrent?: boolean;
            /** @description Fetch it again, although it is installed. */
            reinstall?: boolean;
            /** @description Use only this kind of source. */
            source?: components["schemas"]["InstallSource"];
        };
        /** @description An installed program. */
        InstallArtifact: {
            /** @description Always `native_agent`. */
            kind: string;
            /** @description Path of the program. */
            path: string;
            /** @description Kind of source that the program came from. */
            source: string;
            /** @description Version of the program. */
            version: string;
        };
        /** @description The installation succeeded. The stream ends. */
        InstallDoneEvent: {
            /** @description The agent. */
            agent: string;
            /** @description True if the version was installed before, so that nothing was downloaded. */
            alreadyInstalled: boolean;
            /**
             * @deprecated
             * @description Use `alreadyInstalled`.
             */
            already_installed: boolean;
            /** @description The same as a list, for compatibility. */
            artifacts: components["schemas"]["InstallArtifact"][];
            /** @description True if the agent is part of the daemon, so that there was nothing to install. */
            builtIn: boolean;
            /** @description True if this is the version that starts when none is named. */
            current: boolean;
            /** @description The program. */
            path: string;
            /** @description The kind of source it came from. */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            step: "done";
            /** @description The version that is there now. */
            version: string;
        };
        /** @description The download makes progress. */
        InstallDownloadingEvent: {
            /**
             * Format: int64
             * @description Number of bytes received so far.
             */
            received: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            step: "downloading";
            /**
             * Format: int64
             * @description Number of bytes of the whole download, if it is known.
             */
            total?: number;
            /** @description Address of the download. */
            url: string;
        };
        /** @description An event of an installation. The name of the server-sent event is the value of `step`. */
        InstallEvent: components["schemas"]["InstallWaitingEvent"] | components["schemas"]["InstallResolvingEvent"] | components["schemas"]["InstallSourceFailedEvent"] | components["schemas"]["InstallDownloadingEvent"] | components["schemas"]["InstallVerifyingEvent"] | components["schemas"]["InstallUnpackingEvent"] | components["schemas"]["InstallActivatingEvent"] | components["schemas"]["InstallDoneEvent"] | components["schemas"]["InstallFailedEvent"];
        /** @description The installation failed. The stream ends. */
        InstallFailedEvent: {
            /** @description Id of the agent that the error concerns. */
            agent?: string;
            /** @description Description of the error, and how to solve it. */
            detail: string;
            /** @description Details by type: for `agent_process_exited` the exit, for the `conflict` of a session `what` it conflicts with. */
            details?: {
                [key: string]: unknown;
            };
            /** @description Id of the session that the error concerns. */
            sessionId?: string;
            /**
             * Format: int32
             * @description HTTP status.
             */
            status: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            step: "failed";
            /** @description Title of the type of error. */
            title: string;
            /** @description Type of the error: `urn:sandbox-agent:error:<code>`. */
            type: string;
        };
        /** @description Not at all: the program can be installed, but does not speak ACP. */
        InstallOnlyLaunch: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "installOnly";
            /** @description The vendor's program. */
            program: string;
        };
        /** @description A source is asked for the version. */
        InstallResolvingEvent: {
            /** @description Kind of the source. */
            source: components["schemas"]["InstallSource"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            step: "resolving";
        };
        /**
         * @description A kind of source.
         * @enum {string}
         */
        InstallSource: "vendor" | "github" | "npm" | "registry" | "local";
        /** @description A source failed. The next one is asked. */
        InstallSourceFailedEvent: {
            /** @description Reason of the failure. */
            reason: string;
            /** @description Kind of the source. */
            source: components["schemas"]["InstallSource"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            step: "sourceFailed";
        };
        /** @description The download is unpacked. */
        InstallUnpackingEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            step: "unpacking";
            /**
             * Format: int64
             * @description Number of bytes written so far.
             */
            written: number;
        };
        /** @description The download is compared with its published checksum. */
        InstallVerifyingEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            step: "verifying";
        };
        /** @description The installation waits for another one of the same agent. */
        InstallWaitingEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            step: "waiting";
        };
        /** @description Result of an installation. */
        InstalledAgent: {
            /** @description The agent. */
            agent: string;
            /** @description True if the version was installed before, so that nothing was downloaded. */
            alreadyInstalled: boolean;
            /**
             * @deprecated
             * @description Use `alreadyInstalled`.
             */
            already_installed: boolean;
            /** @description The same as a list, for compatibility. */
            artifacts: components["schemas"]["InstallArtifact"][];
            /** @description True if the agent is part of the daemon, so that there was nothing to install. */
            builtIn: boolean;
            /** @description True if this is the version that starts when none is named. */
            current: boolean;
            /** @description The program. */
            path: string;
            /** @description The kind of source it came from. */
            source: string;
            /** @description The version that is there now. */
            version: string;
        };
        /** @description One installed version of an agent. */
        InstalledVersion: {
            /** @description True if this version starts when none is named. */
            current: boolean;
            /** @description Time at which the version was installed. */
            installedAt: components["schemas"]["Timestamp"];
            /** @description Path of the program. */
            path: string;
            /**
             * Format: int64
             * @description Size on disk in bytes.
             */
            size: number;
            /** @description Kind of source that the program came from: `vendor`, `github`, `npm`, `registry`, `local`. */
            source: string;
            /** @description Name of the version. */
            version: string;
        };
        /** @description The answer to a request that failed. */
        JsonRpcError: {
            /** @description Reason for the failure. */
            error: components["schemas"]["JsonRpcErrorDetails"];
            id: string | number | null;
            /** @enum {string} */
            jsonrpc: "2.0";
        };
        /** @description The reason why a request failed. */
        JsonRpcErrorDetails: {
            /**
             * Format: int64
             * @description Code of the error.
             */
            code: number;
            /** @description More about the error. */
            data?: unknown;
            /** @description Description of the error. */
            message: string;
        };
        /** @description A JSON-RPC 2.0 message: a request, a notification, a result or an error. */
        JsonRpcMessage: components["schemas"]["JsonRpcRequest"] | components["schemas"]["JsonRpcNotification"] | components["schemas"]["JsonRpcResult"] | components["schemas"]["JsonRpcError"];
        /** @description A notification. There is no answer to it. */
        JsonRpcNotification: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /** @description Name of the method. */
            method: string;
            /** @description Parameters of the method: an object or an array. */
            params?: unknown;
        };
        /** @description A request. The receiver answers it with a result or an error of the same id. */
        JsonRpcRequest: {
            id: string | number | null;
            /** @enum {string} */
            jsonrpc: "2.0";
            /** @description Name of the method. */
            method: string;
            /** @description Parameters of the method: an object or an array. */
            params?: unknown;
        };
        /** @description The answer to a request that succeeded. */
        JsonRpcResult: {
            id: string | number | null;
            /** @enum {string} */
            jsonrpc: "2.0";
            /** @description Result of the method. */
            result: unknown;
        };
        /** @description The latest version of an agent. */
        LatestVersion: {
            /** @description Id of the agent. */
            agent: string;
            /** @description The version that starts now, if one is installed. */
            installed?: string;
            /** @description The newest that its sources have. */
            latest: string;
            /** @description True if `latest` is newer than `installed`. Absent if no version is installed. */
            outdated?: boolean;
        };
        /** @description A position in a file. */
        Location: {
            /**
             * Format: int32
             * @description Line number, starting at 1.
             */
            line?: number;
            /** @description Path of the file. */
            path: string;
        };
        /** @description The MCP servers of a directory. */
        McpConfigList: {
            /** @description MCP servers by name. */
            servers: {
                [key: string]: components["schemas"]["McpServerConfig"];
            };
        };
        /** @description An MCP server that the agent starts as a command. `stdio` is an alias of this type. */
        McpLocalServer: {
            /** @description Arguments of the program. */
            args?: string[];
            /** @description The program. */
            command: string;
            /** @description Working directory of the program. */
            cwd?: string | null;
            /** @description `false` keeps the server, but does not use it. */
            enabled?: boolean | null;
            /** @description Environment variables of the program. */
            env?: {
                [key: string]: string;
            } | null;
            /**
             * Format: int64
             * @description Timeout of the server in milliseconds.
             */
            timeoutMs?: number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "local";
        } & {
            [key: string]: unknown;
        };
        /** @description An MCP server at an address. `http` and `sse` are aliases of this type that also set the transport. */
        McpRemoteServer: {
            /** @description Name of the environment variable that has the bearer token. */
            bearerTokenEnvVar?: string | null;
            /** @description `false` keeps the server, but does not use it. */
            enabled?: boolean | null;
            /** @description Headers to send, with the names of environment variables that have their values. */
            envHeaders?: {
                [key: string]: string;
            } | null;
            /** @description Headers to send. */
            headers?: {
                [key: string]: string;
            } | null;
            /** @description OAuth settings, or `false`. */
            oauth?: unknown;
            /**
             * Format: int64
             * @description Timeout of the server in milliseconds.
             */
            timeoutMs?: number | null;
            /** @description Transport: `http` or `sse`. */
            transport?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "remote";
            /** @description Address of the server. */
            url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description An MCP server. Unknown members are kept. */
        McpServerConfig: components["schemas"]["McpLocalServer"] | components["schemas"]["McpRemoteServer"];
        /** @description An accepted message. It is stored and survives a crash of the daemon. */
        MessageAccepted: {
            /**
             * Format: int64
             * @description Id of the event that has the message.
             */
            eventId: number;
            /** @description Id of the message in events. */
            messageId: string;
            /** @description Number of messages before this one. */
            queued: number;
            /** @description Id of the turn that the message begins or will begin. */
            turnId: string;
        };
        /** @description A piece of a message that is being written. The complete message follows as a `message` event with the same id. */
        MessageDelta: {
            /** @description Part of the message that the piece continues. */
            kind: components["schemas"]["DeltaKind"];
            /** @description Id of the message. */
            messageId: string;
            /** @description Id of the tool call of the sub-agent that the message belongs to. */
            parentId?: string;
            /** @description Text to append. */
            text: string;
        };
        /** @description A piece of a message that is being written. */
        MessageDeltaEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["MessageDeltaEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "messageDelta";
        };
        /** @description Data of the event `messageDelta`. */
        MessageDeltaEventData: {
            messageDelta: components["schemas"]["MessageDelta"];
        };
        /** @description A new message, or the newest state of a message. */
        MessageEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["MessageEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message";
        };
        /** @description Data of the event `message`. */
        MessageEventData: {
            message: components["schemas"]["UniversalMessage"];
        };
        /** @description A part of a message. */
        MessagePart: components["schemas"]["TextPart"] | components["schemas"]["ReasoningPart"] | components["schemas"]["ToolCallPart"] | components["schemas"]["ToolResultPart"] | components["schemas"]["FunctionCallPart"] | components["schemas"]["FunctionResultPart"] | components["schemas"]["FilePart"] | components["schemas"]["ImagePart"] | components["schemas"]["ErrorPart"] | components["schemas"]["UnknownPart"];
        /** @description The end of a message that never began a turn. */
        MessageWithdrawn: {
            /** @description The reason. */
            by: components["schemas"]["WithdrawnBy"];
            /** @description The message's id. */
            messageId: string;
            /** @description The turn that it would have begun. */
            turnId: string;
        };
        /** @description A message was taken out of the queue before its turn began. */
        MessageWithdrawnEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["MessageWithdrawnEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "messageWithdrawn";
        };
        /** @description Data of the event `messageWithdrawn`. */
        MessageWithdrawnEventData: {
            messageWithdrawn: components["schemas"]["MessageWithdrawn"];
        };
        /** @description Change of the mode, model or another setting. */
        ModeChanged: {
            /** @description Current values, and the lists that have changed. */
            choices: components["schemas"]["ChangedChoices"];
        };
        /** @description The mode, model or another setting changed, or the choices did. */
        ModeChangedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["ModeChangedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "modeChanged";
        };
        /** @description Data of the event `modeChanged`. */
        ModeChangedEventData: {
            modeChanged: components["schemas"]["ModeChanged"];
        };
        /** @description An `agentMode` with a `permissionMode`: the modes that the agent gets, and the effect. */
        ModeCombination: {
            /** @description The `agentMode`. */
            agentMode: string;
            /** @description Effect of the combination. Absent if it is rejected. */
            effect?: components["schemas"]["ModeEffect"];
            /** @description Enforcer of the effect. Absent if the combination is rejected. */
            enforcedBy?: components["schemas"]["ModeEnforcer"];
            /** @description The agent's own mode; absent if it is refused, or if the agent has no modes. */
            nativeMode?: string;
            /** @description Options of the agent that are set along with its mode, by id. */
            nativeOptions?: {
                [key: string]: string;
            };
            /** @description The `permissionMode`. */
            permissionMode: components["schemas"]["PermissionMode"];
            /** @description Reason why the combination is rejected. Absent if it is supported. */
            reason?: string;
            /** @description True if sessions accept this combination. Others are rejected with 422. */
            supported: boolean;
        };
        /**
         * @description Effect of a combination of modes when the model wants to change something.
         * @enum {string}
         */
        ModeEffect: "asks" | "readOnly" | "neverAsks" | "refuses";
        /**
         * @description Enforcer of the effect of a combination of modes.
         * @enum {string}
         */
        ModeEnforcer: "agent" | "daemon";
        /** @description A notice from the agent that is not part of a message. */
        Notice: {
            /** @description Description of the notice. */
            description?: string;
            /** @description Severity of the notice. */
            severity: components["schemas"]["NoticeSeverity"];
            /** @description Title of the notice. */
            title: string;
        };
        /** @description A notice from the agent that is not part of a message. */
        NoticeEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["NoticeEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notice";
        };
        /** @description Data of the event `notice`. */
        NoticeEventData: {
            notice: components["schemas"]["Notice"];
        };
        /**
         * @description Severity of a notice.
         * @enum {string}
         */
        NoticeSeverity: "info" | "warning" | "error";
        /**
         * @description Source of the lists of an agent's modes and models.
         * @enum {string}
         */
        OfferSource: "agent" | "catalog";
        /** @description Value of an option. */
        OptionValue: boolean | string;
        /** @description A message. */
        ParsedMessage: {
            /** @description Id of the message, unique in its session. */
            id: string;
            /**
             * @description More about the message: `turnId`, `delivery` (`interrupt` if a user's message was sent ahead of those that waited),
             *     `parentId` (the tool call of the sub-agent that it belongs to), `continues` (the message that this one continues, which had
             *     become too long), `_meta` (additions of the agent), `unrecognized` (members that were not understood).
             */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Parts of the message. */
            parts: components["schemas"]["MessagePart"][];
            /** @description Author of the message. */
            role: components["schemas"]["Role"];
        };
        /** @description The agent asks for a permission. */
        PermissionAskedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["PermissionAskedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "permissionAsked";
        };
        /** @description Data of the event `permissionAsked`. */
        PermissionAskedEventData: {
            permissionAsked: components["schemas"]["PermissionRequest"];
        };
        /**
         * @description Permission mode of an agent.
         * @enum {string}
         */
        PermissionMode: "default" | "plan" | "bypass";
        /** @description A reply that the agent accepts. */
        PermissionOption: {
            /** @description The agent's own id of the option. A reply may name it. */
            id: string;
            /** @description Display name of the option. */
            name: string;
            /** @description Reply that stands for the option. If several options share a reply, it means the first one. */
            reply: components["schemas"]["PermissionReplyKind"];
        };
        /** @description Rules that decide permission requests without a client. */
        PermissionPolicy: {
            /**
             * @description Decision after the timeout. Questions are always rejected.
             * @default reject
             */
            onTimeout: components["schemas"]["TimeoutDecision"];
            /**
             * @description Rules. The first one that matches decides; without one a client is asked.
             * @default []
             */
            rules: components["schemas"]["PermissionRule"][];
            /**
             * Format: int64
             * @description Milliseconds after which an open request is decided. Without it, requests wait forever.
             */
            timeoutMs?: number;
        };
        /** @description Decision on a permission request. */
        PermissionReply: {
            /** @description Display name of the client, up to 100 characters. `permissionResolved` reports it to other clients. */
            client?: string;
            /** @description Instruction for the agent, with a rejection. It becomes the next message. */
            message?: string;
            /** @description The agent's own id of an option, where several options share a reply. */
            optionId?: string;
            /** @description Decision. */
            reply: components["schemas"]["PermissionReplyKind"];
            /**
             * @description With `always`: the calls that are allowed from now on. The daemon keeps this rule for the session, and the agent is
             *     allowed only this call. It must match the request. Without a rule, the agent itself decides what it remembers.
             */
            rule?: components["schemas"]["AllowRule"];
        };
        /**
         * @description Decision on a permission request.
         * @enum {string}
         */
        PermissionReplyKind: "once" | "always" | "reject";
        /** @description A request for permission. It stays open until it is answered, or its turn ends. */
        PermissionRequest: {
            /** @description Time at which the request is decided, unless it is answered before. */
            expiresAt?: components["schemas"]["Timestamp"];
            /** @description Id of the request, unique in its session. */
            id: string;
            /** @description Input of the tool. */
            input?: unknown;
            /** @description Kind of the tool. */
            kind: components["schemas"]["ToolKind"];
            /** @description Replies that the agent accepts. */
            options: components["schemas"]["PermissionOption"][];
            /** @description Preview of the action, such as the change to a file. */
            parts?: components["schemas"]["MessagePart"][];
            /** @description Display title of the action. */
            title: string;
            /** @description Name of the tool, if the agent reports it. */
            tool?: string;
            /** @description Id of the tool call that needs the permission. */
            toolCallId: string;
            /** @description Id of the turn in which the agent asks. Absent outside of turns. */
            turnId?: string;
        };
        /** @description End of a permission request. */
        PermissionResolved: {
            /** @description Cause of the decision. */
            by: components["schemas"]["ResolvedBy"];
            /** @description Name that the client gave itself. */
            client?: string;
            /** @description Id of the permission request. */
            id: string;
            /** @description The agent's own id of the option. */
            optionId?: string;
            /** @description Decision. Absent if the request was withdrawn before a decision. */
            reply?: components["schemas"]["PermissionReplyKind"];
            /** @description Rule that the decision added to the session. */
            rule?: components["schemas"]["AllowRule"];
        };
        /** @description A permission request was decided or withdrawn. */
        PermissionResolvedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["PermissionResolvedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "permissionResolved";
        };
        /** @description Data of the event `permissionResolved`. */
        PermissionResolvedEventData: {
            permissionResolved: components["schemas"]["PermissionResolved"];
        };
        /** @description A rule for permission requests. Every member that is present must match. */
        PermissionRule: {
            /** @description Decision of the rule. */
            decision: components["schemas"]["Decision"];
            /** @description Pattern for the command, path or address, up to 8192 characters; `*` matches any characters. */
            input?: string;
            /**
             * @description The tool: its own name or its kind (`read`, `edit`, `execute`, …), for `deny` and `ask` also its title; `*` stands for any
             *     characters. Up to 8192 characters.
             */
            tool: string;
        };
        /** @description A plan of the agent. */
        Plan: {
            /** @description Entries of the plan, in order. */
            entries: components["schemas"]["PlanEntry"][];
        };
        /** @description An entry of a plan. */
        PlanEntry: {
            /** @description Text of the entry. */
            content: string;
            /** @description Priority of the entry. */
            priority: components["schemas"]["PlanPriority"];
            /** @description Status of the entry. */
            status: components["schemas"]["PlanStatus"];
        };
        /** @description The agent's plan. Replaces the plan before. */
        PlanEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["PlanEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "plan";
        };
        /** @description Data of the event `plan`. */
        PlanEventData: {
            plan: components["schemas"]["Plan"];
        };
        /**
         * @description Priority of an entry of a plan.
         * @enum {string}
         */
        PlanPriority: "high" | "medium" | "low";
        /**
         * @description Status of an entry of a plan.
         * @enum {string}
         */
        PlanStatus: "pending" | "inProgress" | "completed";
        /** @description A message for the agent: either `message` or `parts`. */
        PostMessage: components["schemas"]["PostTextMessage"] | components["schemas"]["PostMessageParts"];
        /** @description A message of several parts: text, files and images. */
        PostMessageParts: {
            /** @description Delivery of the message while a turn runs. */
            delivery?: components["schemas"]["Delivery"];
            /** @description Parts of the message: text, files and images. */
            parts: components["schemas"]["InputPart"][];
        };
        /** @description A message that is one text. */
        PostTextMessage: {
            /** @description Delivery of the message while a turn runs. */
            delivery?: components["schemas"]["Delivery"];
            /** @description Text of the message, in Markdown. */
            message: string;
        };
        /** @description An error, as `application/problem+json`. */
        Problem: {
            /** @description Id of the agent that the error concerns. */
            agent?: string;
            /** @description Description of the error, and how to solve it. */
            detail: string;
            /** @description Details by type: for `agent_process_exited` the exit, for the `conflict` of a session `what` it conflicts with. */
            details?: {
                [key: string]: unknown;
            };
            /** @description Id of the session that the error concerns. */
            sessionId?: string;
            /**
             * Format: int32
             * @description HTTP status.
             */
            status: number;
            /** @description Title of the type of error. */
            title: string;
            /** @description Type of the error: `urn:sandbox-agent:error:<code>`. */
            type: string;
        };
        /** @description Limits on processes. */
        ProcessConfig: {
            /**
             * Format: int64
             * @description Timeout of `run` in milliseconds, if the request has none. At most `maxRunTimeoutMs`.
             */
            defaultRunTimeoutMs: number;
            /** @description Maximum number of running processes, including those of `run`. */
            maxConcurrentProcesses: number;
            /** @description Maximum number of exited processes that are kept. */
            maxEndedProcesses: number;
            /** @description Maximum size of the input of a request in bytes. */
            maxInputBytesPerRequest: number;
            /**
             * @description Maximum size of the log of a process in bytes. The oldest output is dropped first. Applies to processes that start
             *     later.
             */
            maxLogBytesPerProcess: number;
            /** @description Maximum number of bytes that `run` keeps of each output stream. */
            maxOutputBytes: number;
            /**
             * Format: int64
             * @description Maximum timeout of `run` in milliseconds.
             */
            maxRunTimeoutMs: number;
            /**
             * Format: int64
             * @description Milliseconds between SIGTERM and SIGKILL when a process is stopped.
             */
            stopGraceMs: number;
        };
        /** @description Limits to change. Absent members keep their value. */
        ProcessConfigChange: {
            /**
             * Format: int64
             * @description Timeout of `run` in milliseconds, if the request has none. At most `maxRunTimeoutMs`.
             */
            defaultRunTimeoutMs?: number;
            /** @description Maximum number of running processes, including those of `run`. */
            maxConcurrentProcesses?: number;
            /** @description Maximum number of exited processes that are kept. */
            maxEndedProcesses?: number;
            /** @description Maximum size of the input of a request in bytes. */
            maxInputBytesPerRequest?: number;
            /**
             * @description Maximum size of the log of a process in bytes. The oldest output is dropped first. Applies to processes that start
             *     later.
             */
            maxLogBytesPerProcess?: number;
            /** @description Maximum number of bytes that `run` keeps of each output stream. */
            maxOutputBytes?: number;
            /**
             * Format: int64
             * @description Maximum timeout of `run` in milliseconds.
             */
            maxRunTimeoutMs?: number;
            /**
             * Format: int64
             * @description Milliseconds between SIGTERM and SIGKILL when a process is stopped.
             */
            stopGraceMs?: number;
        };
        /** @description A process to start. */
        ProcessCreateRequest: {
            /** @description Arguments of the program. */
            args?: string[];
            /**
             * Format: int32
             * @description Columns of the terminal. Defaults to 80.
             */
            cols?: number | null;
            /** @description Path of the program, or its name in `PATH`. No shell interprets it. */
            command: string;
            /** @description Working directory, relative to the workspace. Defaults to the workspace. */
            cwd?: string | null;
            /** @description Environment variables, in addition to those of the daemon. */
            env?: {
                [key: string]: string;
            };
            /** @description Marks the process as interactive. Every process reads input until `eof` closes it. */
            interactive?: boolean;
            /**
             * Format: int32
             * @description Rows of the terminal. Defaults to 24.
             */
            rows?: number | null;
            /** @description Runs the process on a terminal of its own. */
            tty?: boolean;
        };
        /** @description Exit of a process. Data of the `exit` event. */
        ProcessExit: {
            /**
             * Format: int32
             * @description Exit code, if the process exited by itself.
             */
            exitCode: number | null;
            /** @description True if the kernel killed the process for lack of memory. */
            oomKilled: boolean;
            /**
             * Format: int32
             * @description Number of the signal that ended the process.
             */
            signal: number | null;
        };
        /** @description A process. */
        ProcessInfo: {
            /** @description Arguments of the command. */
            args: string[];
            /** @description Command that the process was started with. */
            command: string;
            /** @description Time at which the process was started. */
            createdAt: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @deprecated
             * @description `createdAt` in milliseconds since 1970.
             */
            createdAtMs: number;
            /** @description Working directory that was requested. */
            cwd?: string;
            /**
             * Format: int32
             * @description Exit code, if the process exited by itself.
             */
            exitCode?: number;
            /** @description Time at which the process exited. */
            exitedAt?: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @deprecated
             * @description `exitedAt` in milliseconds since 1970.
             */
            exitedAtMs?: number;
            /** @description Id of the process. */
            id: string;
            /** @description True if the process was marked as interactive. */
            interactive: boolean;
            /** @description True if the kernel killed the process for lack of memory. */
            oomKilled?: boolean;
            /** @description Owner of the process. */
            owner: components["schemas"]["ProcessOwner"];
            /**
             * Format: int32
             * @description Process id in the system, while the process runs.
             */
            pid?: number;
            /**
             * Format: int32
             * @description Number of the signal that ended the process.
             */
            signal?: number;
            /** @description State of the process. */
            status: components["schemas"]["ProcessState"];
            /** @description True if the process has a terminal. */
            tty: boolean;
        };
        /** @description Input for a process: `text`, `data`, or only `eof`. */
        ProcessInputRequest: {
            /** @description The input in the encoding that `encoding` names. Excludes `text`. */
            data?: string;
            /** @description Encoding of `data`: `base64` (the default) or `utf8` (also `utf-8`, `text`). */
            encoding?: string;
            /** @description Ends the input after this: closes a pipe, presses Ctrl-D on a terminal. */
            eof?: boolean;
            /**
             * @description The input as text. Excludes `data`.
             * @example ls
             */
            text?: string;
        };
        /** @description Result of sending input. */
        ProcessInputResponse: {
            /** @description Number of bytes that were accepted. */
            bytesWritten: number;
        };
        /**
         * @description All processes that the daemon knows: those that run and the last ones that ended, at most
         *     `maxConcurrentProcesses` + `maxEndedProcesses`. The list is always complete.
         */
        ProcessListResponse: {
            /** @description Processes in the order of creation. */
            processes: components["schemas"]["ProcessInfo"][];
        };
        /** @description Data of a server-sent event: of `log` a ProcessLogEntry, of `gap` a ProcessLogGap, of `exit` a ProcessExit. */
        ProcessLogData: components["schemas"]["ProcessLogEntry"] | components["schemas"]["ProcessLogGap"] | components["schemas"]["ProcessExit"];
        /**
         * @description Encoding of output in JSON.
         * @enum {string}
         */
        ProcessLogEncoding: "base64" | "utf8";
        /** @description One entry of a process's output. Data of the `log` event. */
        ProcessLogEntry: {
            /** @description The output. */
            data: string;
            /** @description Encoding of `data`: `base64`, or `utf8` with `encoding=text` where the output is UTF-8. */
            encoding: components["schemas"]["ProcessLogEncoding"];
            /**
             * Format: int64
             * @description The entry's number. The first entry has 1.
             */
            sequence: number;
            /** @description The stream that the output was written to. */
            stream: components["schemas"]["ProcessLogsStream"];
            /** @description Time at which the daemon read the output. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @deprecated
             * @description `timestamp` in milliseconds since 1970.
             */
            timestampMs: number;
        };
        /** @description Output that was dropped before it was read. Data of the `gap` event. */
        ProcessLogGap: {
            /**
             * Format: int64
             * @description Number of bytes that were dropped, if it is known.
             */
            droppedBytes?: number;
            /**
             * Format: int64
             * @description Number of the newest entry.
             */
            newest: number;
            /**
             * Format: int64
             * @description Number of the oldest entry that is kept. Reading continues with it.
             */
            oldest: number;
        };
        /** @description Output of a process. */
        ProcessLogsResponse: {
            /** @description Entries in the order of their numbers. */
            entries: components["schemas"]["ProcessLogEntry"][];
            /** @description The output that is missing before the first entry, if any. */
            gap?: components["schemas"]["ProcessLogGap"];
            /** @description True if `limit` left out newer entries. Ask again with the last `sequence` as `after`. */
            hasMore: boolean;
            /** @description The process's id. */
            processId: string;
            /** @description The stream that was asked for. */
            stream: components["schemas"]["ProcessLogsStream"];
        };
        /**
         * @description An output stream of a process.
         * @enum {string}
         */
        ProcessLogsStream: "stdout" | "stderr" | "combined" | "pty";
        /**
         * @description Owner of a process.
         * @enum {string}
         */
        ProcessOwner: "user" | "desktop" | "system";
        /** @description A command to run. */
        ProcessRunRequest: {
            /** @description Arguments of the program. */
            args?: string[];
            /** @description Path of the program, or its name in `PATH`. No shell interprets it. */
            command: string;
            /** @description Working directory, relative to the workspace. Defaults to the workspace. */
            cwd?: string | null;
            /** @description Environment variables, in addition to those of the daemon. */
            env?: {
                [key: string]: string;
            };
            /** @description Maximum number of bytes to keep of each output stream. At most `maxOutputBytes`. */
            maxOutputBytes?: number | null;
            /**
             * Format: int64
             * @description Timeout in milliseconds, after which the command and everything it started is killed. At most `maxRunTimeoutMs`, which 0
             *     stands for.
             */
            timeoutMs?: number | null;
        };
        /** @description Result of a command. */
        ProcessRunResponse: {
            /**
             * Format: int64
             * @description Duration in milliseconds.
             */
            durationMs: number;
            /**
             * Format: int32
             * @description Exit code, if the process exited by itself.
             */
            exitCode?: number;
            /** @description True if the kernel killed the process for lack of memory. */
            oomKilled?: boolean;
            /**
             * Format: int32
             * @description Number of the signal that ended the process.
             */
            signal?: number;
            /** @description Standard error. Bytes that are not UTF-8 are replaced. */
            stderr: string;
            /** @description Bytes of `stderr` in base64, if they are not UTF-8. */
            stderrBase64?: string;
            /** @description True if there was more standard error than was kept. */
            stderrTruncated: boolean;
            /** @description Standard output. Bytes that are not UTF-8 are replaced. */
            stdout: string;
            /** @description Bytes of `stdout` in base64, if they are not UTF-8. */
            stdoutBase64?: string;
            /** @description True if there was more standard output than was kept. */
            stdoutTruncated: boolean;
            /** @description True if the command was killed after the timeout. */
            timedOut: boolean;
        };
        /**
         * @description State of a process.
         * @enum {string}
         */
        ProcessState: "running" | "exited";
        /** @description Size of a terminal. */
        ProcessTerminalSize: {
            /**
             * Format: int32
             * @description Columns.
             */
            cols: number;
            /**
             * Format: int32
             * @description Rows.
             */
            rows: number;
        };
        /** @description A question. */
        Question: {
            /** @description True if an answer may be something else than an option. */
            custom: boolean;
            /** @description Answer to suggest, in the form of an entry of `answers`. */
            default?: string[];
            /** @description Format of a text: `email`, `uri`, `date` or `date-time`. The daemon does not check other formats. */
            format?: string;
            /** @description Short heading of the question. */
            header?: string;
            /** @description Kind of the answer. */
            kind: components["schemas"]["QuestionKind"];
            /**
             * Format: int64
             * @description Greatest number of options to choose.
             */
            maxItems?: number;
            /**
             * Format: int64
             * @description Greatest number of characters of a text.
             */
            maxLength?: number;
            /**
             * Format: double
             * @description Greatest number that is accepted.
             */
            maximum?: number;
            /**
             * Format: int64
             * @description Least number of options to choose.
             */
            minItems?: number;
            /**
             * Format: int64
             * @description Least number of characters of a text.
             */
            minLength?: number;
            /**
             * Format: double
             * @description Least number that is accepted.
             */
            minimum?: number;
            /** @description True if several options may be chosen. */
            multiSelect: boolean;
            /** @description Options to choose from. Answers are labels. */
            options?: components["schemas"]["QuestionOption"][];
            /**
             * @description Regular expression that is to be found in a text. The daemon checks patterns that can be matched in linear time; it passes
             *     answers to others, such as those with a look-ahead, to the agent unchecked.
             */
            pattern?: string;
            /** @description Text of the question. */
            question: string;
            /** @description True if an answer is required. */
            required: boolean;
            /** @description Address to visit, if the question is answered there. */
            url?: string;
        };
        /** @description The agent asks a question. */
        QuestionAskedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["QuestionAskedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "questionAsked";
        };
        /** @description Data of the event `questionAsked`. */
        QuestionAskedEventData: {
            questionAsked: components["schemas"]["QuestionRequest"];
        };
        /**
         * @description Kind of the answer to a question.
         * @enum {string}
         */
        QuestionKind: "choice" | "text" | "number" | "integer" | "boolean" | "url";
        /** @description An option of a question. */
        QuestionOption: {
            /** @description Description of the option. */
            description?: string;
            /** @description Label, which is also the answer. */
            label: string;
        };
        /**
         * @description Outcome of a question request.
         * @enum {string}
         */
        QuestionOutcome: "answered" | "rejected" | "cancelled";
        /** @description Answers to a question request. */
        QuestionReply: {
            /** @description For each question the labels of the chosen options, or the text of the answer. */
            answers: string[][];
            /** @description Display name of the client, up to 100 characters. `questionResolved` reports it to other clients. */
            client?: string;
        };
        /** @description A request for answers. It stays open until it is answered or rejected, or its turn ends. */
        QuestionRequest: {
            /** @description Time at which the request is rejected, unless it is answered before. */
            expiresAt?: components["schemas"]["Timestamp"];
            /** @description Id of the request, unique in its session. */
            id: string;
            /** @description Introduction to the questions, if there is one. */
            message?: string;
            /** @description True if the agent asks for the approval of a plan. */
            planApproval?: boolean;
            /** @description Questions. A reply has one entry in `answers` for each. */
            questions: components["schemas"]["Question"][];
            /** @description Id of the tool call that asks. */
            toolCallId?: string;
            /** @description Id of the turn in which the agent asks. Absent outside of turns. */
            turnId?: string;
        };
        /** @description End of a question request. */
        QuestionResolved: {
            /** @description Answers, if it was answered. */
            answers?: string[][];
            /** @description Cause of the outcome. */
            by: components["schemas"]["ResolvedBy"];
            /** @description Name that the client gave itself. */
            client?: string;
            /** @description Id of the question request. */
            id: string;
            /** @description Outcome. */
            outcome: components["schemas"]["QuestionOutcome"];
        };
        /** @description A question was answered, rejected or withdrawn. */
        QuestionResolvedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["QuestionResolvedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "questionResolved";
        };
        /** @description Data of the event `questionResolved`. */
        QuestionResolvedEventData: {
            questionResolved: components["schemas"]["QuestionResolved"];
        };
        /** @description Messages that wait until the session is resumed. */
        QueueHeld: {
            /** @description Their ids, the next one first. */
            messageIds: string[];
        };
        /** @description The daemon was restarted while messages waited; they wait until the session is resumed. */
        QueueHeldEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["QueueHeldEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "queueHeld";
        };
        /** @description Data of the event `queueHeld`. */
        QueueHeldEventData: {
            queueHeld: components["schemas"]["QueueHeld"];
        };
        /** @description A new order for messages that wait. */
        QueueOrder: {
            /**
             * @description Ids of messages, the next one first. They take the places that they have in the queue, in this order; others keep theirs.
             *     Messages that do not wait are ignored.
             */
            messageIds: string[];
        };
        /** @description Messages that no longer have to wait. */
        QueueReleased: {
            /** @description Their ids, the next one first. */
            messageIds: string[];
        };
        /** @description Messages that were held are given to the agent again. */
        QueueReleasedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["QueueReleasedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "queueReleased";
        };
        /** @description Data of the event `queueReleased`. */
        QueueReleasedEventData: {
            queueReleased: components["schemas"]["QueueReleased"];
        };
        /** @description The order of the messages that wait, after a client changed it. */
        QueueReordered: {
            /** @description Ids of all messages that wait, the next one first. */
            messageIds: string[];
        };
        /** @description A client changed the order of the messages that wait. */
        QueueReorderedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["QueueReorderedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "queueReordered";
        };
        /** @description Data of the event `queueReordered`. */
        QueueReorderedEventData: {
            queueReordered: components["schemas"]["QueueReordered"];
        };
        /** @description A message that waits for its turn. */
        QueuedMessage: {
            /** @description The message's id in the events. */
            messageId: string;
            /** @description The turn that it will begin. */
            turnId: string;
        };
        /** @description Reasoning of the agent. */
        ReasoningPart: {
            /** @description The text. */
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "reasoning";
        };
        /**
         * @description Cause of the end of a question or permission request.
         * @enum {string}
         */
        ResolvedBy: "client" | "rule" | "permissionMode" | "agent" | "timeout" | "turnEnded" | "agentEnded" | "withdrawn" | "daemonRestarted";
        /**
         * @description Author of a message.
         * @enum {string}
         */
        Role: "user" | "assistant";
        /** @description A session. */
        Session: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Mode of the agent: `build`, `plan` or a mode of its own. */
            agentMode: string;
            /** @description Version of the agent that was requested. */
            agentVersion?: string;
            /**
             * @description The chosen mode, model and options, and the possible ones. Always present for a single session; in lists only with
             *     `include=choices`.
             */
            choices?: components["schemas"]["SessionChoices"];
            /** @description Time at which the session was created. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description Working directory. */
            cwd: string;
            /** @description The reason why the agent could not be started the last time; absent once it has started. */
            error?: components["schemas"]["AgentError"];
            /** @description Id of the session that this one was forked from. */
            forkedFrom?: string;
            /** @description False if the agent could not be started the last time that was tried; `error` says why. */
            healthy: boolean;
            /**
             * Format: int64
             * @description Id of the newest event. 0 before the first event.
             */
            lastEventId: number;
            /** @description Metadata of the client's choice. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Model that was requested. Absent for the agent's own choice. */
            model?: string;
            /** @description The agent's own id of the session. */
            nativeSessionId?: string;
            /**
             * Format: int64
             * @description Id of the oldest event that is kept.
             */
            oldestEventId: number;
            /** @description The options that were asked for, by id; `choices.options` has what is set. */
            options?: {
                [key: string]: components["schemas"]["OptionValue"];
            };
            /** @description Permission mode. */
            permissionMode: components["schemas"]["PermissionMode"];
            /** @description Open permission requests. */
            permissions: components["schemas"]["PermissionRequest"][];
            /** @description Open question requests. */
            questions: components["schemas"]["QuestionRequest"][];
            /** @description The messages that wait, the next one first. */
            queue: components["schemas"]["QueuedMessage"][];
            /** @description True if the queue is held since a restart of the daemon. `POST …/resume` or a new message continues it. */
            queueHeld: boolean;
            /** @description Number of messages that wait for their turn. */
            queued: number;
            /** @description Id of the session. */
            sessionId: string;
            /** @description State of the session. */
            state: components["schemas"]["SessionState"];
            /** @description Title of the session. */
            title?: string;
            /** @description The running turn. */
            turn?: components["schemas"]["Turn"];
            /** @description Time at which the newest event was recorded. */
            updatedAt: components["schemas"]["Timestamp"];
            /** @description Tokens and cost of the session. */
            usage?: components["schemas"]["Usage"];
            /** @description Variant of the model that was requested, such as `high`. */
            variant?: string;
            /** @description Status of the webhook, if there is one. */
            webhook?: components["schemas"]["WebhookStatus"];
        };
        /** @description A value to choose. */
        SessionChoice: {
            /** @description Description of the choice. */
            description?: string;
            /** @description Group of the choice. */
            group?: components["schemas"]["ChoiceGroup"];
            /** @description Id of the choice. */
            id: string;
            /** @description Display name of the choice. */
            name: string;
        };
        /** @description Current settings of a session and the choices for them. A list is empty if the agent offers no choice. */
        SessionChoices: {
            /** @description The agent's own mode. */
            mode?: string;
            /** @description Model. */
            model?: string;
            /** @description Models to choose from. */
            models: components["schemas"]["SessionChoice"][];
            /** @description Modes to choose from. */
            modes: components["schemas"]["SessionChoice"][];
            /** @description Options of the agent other than mode, model and variant. */
            options?: components["schemas"]["SessionOption"][];
            /** @description Variant of the model. */
            variant?: string;
            /** @description Variants of the model to choose from. */
            variants: components["schemas"]["SessionChoice"][];
        };
        /** @description A page of sessions. */
        SessionList: {
            /** @description True if more sessions match. */
            hasMore: boolean;
            /** @description Value of `after` that returns the next page. Absent on the last page. */
            next?: string;
            /** @description Sessions, the newest first by `createdAt`. */
            sessions: components["schemas"]["Session"][];
        };
        /** @description An option of an agent. */
        SessionOption: {
            /** @description Category of the option: `mode`, `model`, `thought_level`, or one of the agent's own. */
            category?: string;
            /** @description Values to choose from. Empty for a switch. */
            choices?: components["schemas"]["SessionChoice"][];
            /** @description Description of the option. */
            description?: string;
            /** @description Id of the option. */
            id: string;
            /** @description Display name of the option. */
            name: string;
            /** @description Current value. */
            value: components["schemas"]["OptionValue"];
        };
        /** @description Changes to a session. Absent members keep their value. */
        SessionPatch: {
            /** @description Mode of the agent. */
            agentMode?: string;
            /** @description Environment variables to add, kept in memory only. The agent is restarted with them before its next turn. */
            env?: {
                [key: string]: string;
            };
            /** @description Metadata to merge into the existing one; `null` removes a member. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Model. */
            model?: string;
            /** @description Other options of the agent, by id; those that are absent stay as they are. With `null` an option is no longer asked for. */
            options?: {
                [key: string]: null | components["schemas"]["OptionValue"];
            };
            /** @description Permission mode. */
            permissionMode?: components["schemas"]["PermissionMode"];
            /** @description Title of the session. */
            title?: string;
            /** @description New credential for the model's provider, kept in memory only. The agent is restarted with it before its next turn. */
            token?: string;
            /** @description Variant of the model. */
            variant?: string;
        };
        /**
         * @description State of a session.
         * @enum {string}
         */
        SessionState: "starting" | "idle" | "running" | "requiresAction" | "interrupted" | "ended";
        /** @description Data of a server-sent event: an event of the session, of the event `gap` a Gap, of `failure` a Problem. */
        SessionStreamData: components["schemas"]["UniversalEvent"] | components["schemas"]["Gap"] | components["schemas"]["Problem"];
        /** @description A source of skills. */
        SkillSource: {
            /** @description Branch, tag or commit. */
            ref?: string | null;
            /** @description Names of the skills to use. Defaults to all. */
            skills?: string[] | null;
            /** @description `owner/name` on GitHub, the address of a repository, or a directory. */
            source: string;
            /** @description Directory in the source that has the skills. */
            subpath?: string | null;
            /** @description Type of the source: `github`, `git` or `local`. */
            type: components["schemas"]["SkillSourceType"];
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Type of a source of skills.
         * @enum {string}
         */
        SkillSourceType: "github" | "git" | "local";
        /** @description A set of skills. Unknown members are kept. */
        SkillsConfig: {
            /** @description Sources of the skills, at least one. */
            sources: components["schemas"]["SkillSource"][];
        } & {
            [key: string]: unknown;
        };
        /** @description The sets of skills of a directory. */
        SkillsConfigList: {
            /** @description Sets of skills by name. */
            skills: {
                [key: string]: components["schemas"]["SkillsConfig"];
            };
        };
        /** @description Data of the event `started`. */
        Started: {
            /** @description Version of the agent, if it is known. */
            agentVersion?: string;
            /** @description Working directory of the agent. */
            cwd: string;
            /** @description Id of the session that this one was forked from. */
            forkedFrom?: string;
        };
        /** @description The agent is ready, for the first time or again. */
        StartedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["StartedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "started";
        };
        /** @description Data of the event `started`. */
        StartedEventData: {
            started: components["schemas"]["Started"];
        };
        /**
         * @description Reason why a turn ended.
         * @enum {string}
         */
        StopReason: "endTurn" | "maxTokens" | "maxTurnRequests" | "refusal" | "cancelled" | "error" | "unknown";
        /** @description A text message from a client on the WebSocket of a terminal. A binary message is input as it is. */
        TerminalClientFrame: components["schemas"]["TerminalInputFrame"] | components["schemas"]["TerminalResizeFrame"] | components["schemas"]["TerminalCloseFrame"];
        /** @description The client leaves. The process continues. */
        TerminalCloseFrame: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "close";
        };
        /** @description A terminal of the agent. */
        TerminalContent: {
            /** @description Other members that the agent sent. */
            extra?: {
                [key: string]: unknown;
            };
            /** @description Id of the terminal. */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "terminal";
        };
        /** @description A message of the client was rejected, or output was dropped because the client did not read it. The socket stays open. */
        TerminalErrorFrame: {
            /** @description Description of the problem. */
            message: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
        };
        /** @description The process exited. The socket closes after this message. */
        TerminalExitFrame: {
            /**
             * Format: int32
             * @description Exit code, if the process exited by itself.
             */
            exitCode?: number | null;
            /** @description True if the kernel killed the process for lack of memory. */
            oomKilled: boolean;
            /**
             * Format: int32
             * @description Number of the signal that ended the process.
             */
            signal?: number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "exit";
        };
        /** @description Input for the terminal. */
        TerminalInputFrame: {
            /** @description The input. */
            data: string;
            /** @description Encoding of `data`: `utf8` (the default; also `utf-8`, `text`) or `base64`. */
            encoding?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "input";
        };
        /** @description The first message. Earlier output follows, then new output. */
        TerminalReadyFrame: {
            /** @description Id of the process. */
            processId: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ready";
        };
        /** @description A new size of the terminal. */
        TerminalResizeFrame: {
            /**
             * Format: int32
             * @description Columns.
             */
            cols: number;
            /**
             * Format: int32
             * @description Rows.
             */
            rows: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "resize";
        };
        /** @description A text message from the daemon on the WebSocket of a terminal. Output comes as binary messages. */
        TerminalServerFrame: components["schemas"]["TerminalReadyFrame"] | components["schemas"]["TerminalExitFrame"] | components["schemas"]["TerminalErrorFrame"];
        /** @description Text. */
        TextContent: {
            /** @description Other members that the agent sent. */
            extra?: {
                [key: string]: unknown;
            };
            /** @description The text. */
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        };
        /** @description Text, in Markdown. */
        TextPart: {
            /** @description The text. */
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        };
        /** @description Content as text. */
        TextSource: {
            /** @description The content. */
            text: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        };
        /** @description A ticket. It opens a stream as `?ticket=`, and nothing else. */
        Ticket: {
            /** @description Time at which the ticket expires. A stream that is open then stays open. */
            expiresAt: components["schemas"]["Timestamp"];
            /** @description The path of the one stream that the ticket opens; absent if it opens any stream, once. */
            path?: string;
            /** @description The ticket itself. */
            ticket: string;
        };
        /** @description A request for a ticket. */
        TicketRequest: {
            /**
             * Format: int64
             * @description Lifetime of the ticket in milliseconds. With `path` an hour by default and a day at most; without it 30 seconds by
             *     default and 5 minutes at most.
             */
            lifetimeMs?: number;
            /**
             * @description The path of the one stream that the ticket opens, without a query. With it the ticket opens that stream any number of
             *     times until it expires, as an `EventSource` that reconnects needs. Without it the ticket opens any one stream, once.
             * @example /v1/sessions/my-session/events/sse
             */
            path?: string;
        };
        /**
         * @description Decision after a timeout.
         * @enum {string}
         */
        TimeoutDecision: "reject" | "allow";
        /** Format: date-time */
        Timestamp: string;
        /** @description A call of a tool by the agent. */
        ToolCallPart: {
            /** @description Id of the call, unique in its session. */
            id: string;
            /** @description Input of the tool. */
            input?: unknown;
            /** @description Kind of the tool. */
            kind: components["schemas"]["ToolKind"];
            /** @description Files that the call works on. */
            locations?: components["schemas"]["Location"][];
            /** @description Name of the tool, if the agent reports it. */
            name?: string;
            /** @description Status of the call. */
            status: components["schemas"]["ToolStatus"];
            /** @description Display title of the call. */
            title: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "toolCall";
        };
        /** @description Content that a tool call displays. */
        ToolContent: components["schemas"]["TextContent"] | components["schemas"]["ImageContent"] | components["schemas"]["FileContent"] | components["schemas"]["DiffContent"] | components["schemas"]["TerminalContent"] | components["schemas"]["UnknownContent"];
        /**
         * @description Kind of a tool.
         * @enum {string}
         */
        ToolKind: "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switchMode" | "other";
        /** @description Result of a tool, complete or so far. */
        ToolResultPart: {
            /** @description Content to display. */
            content: components["schemas"]["ToolContent"][];
            /** @description Id of the call. */
            id: string;
            /** @description True if the call failed. */
            isError: boolean;
            /** @description Output of the tool, as the tool wrote it. */
            output?: unknown;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "toolResult";
        };
        /**
         * @description Status of a tool call.
         * @enum {string}
         */
        ToolStatus: "pending" | "inProgress" | "completed" | "failed";
        /** @description A message of a transcript in its newest state. */
        TranscriptMessage: {
            /**
             * Format: int64
             * @description Id of the event with this state. Events up to and including this one add nothing to the message; skip them when you apply a
             *     stream.
             */
            eventId: number;
            /** @description Id of the message within its session. `unparsed:<eventId>` for a message that was not understood. */
            id: string;
            /** @description Metadata of the message, as in the `message` event. `error` says why a message was not understood. */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description Parts of the message. Empty for a message in state `streaming` of which only pieces have been recorded. A single `unknown`
             *     part for a message that was not understood.
             */
            parts: components["schemas"]["MessagePart"][];
            /** @description Author of the message. */
            role: components["schemas"]["Role"];
            /** @description State of the message. */
            state: components["schemas"]["TranscriptState"];
            /** @description Time at which this state was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description Turn that the message belongs to or, while it waits, the turn that it will begin. */
            turnId?: string;
        };
        /**
         * @description Order of a transcript.
         * @enum {string}
         */
        TranscriptOrder: "asc" | "desc";
        /** @description A page of a session's transcript. */
        TranscriptPage: {
            /**
             * Format: int64
             * @description Id of the event to stream after, such as `…/events/sse?after=…`. Use the one of the first page that you read: the stream then
             *     has everything that the pages lack. Pieces of messages in state `streaming` come again from the first one that `parts` lacks.
             */
            eventsAfter: number;
            /** @description True if more messages follow in the requested order. */
            hasMore: boolean;
            /**
             * @description Messages in the requested order. A user's message stands where its turn began. Messages that wait for their turn come after
             *     all others, in the order of the queue.
             */
            messages: components["schemas"]["TranscriptMessage"][];
            /**
             * Format: int64
             * @description Cursor of the next page: send it as `after` with the same `order`. Absent if there is no next page.
             */
            next?: number;
        };
        /**
         * @description State of a message of a transcript.
         * @enum {string}
         */
        TranscriptState: "complete" | "streaming" | "queued" | "withdrawn";
        /** @description A running turn. */
        Turn: {
            /** @description True if the turn is being cancelled. */
            cancelling: boolean;
            /**
             * Format: int64
             * @description Id of the event before the first one of the turn. Read the events after it to follow the turn.
             */
            eventsAfter: number;
            /** @description Id of the message that the turn works on. */
            messageId?: string;
            /** @description Time at which the turn began. */
            startedAt: components["schemas"]["Timestamp"];
            /** @description Id of the turn. */
            turnId: string;
        };
        /** @description End of a turn. */
        TurnEnded: {
            /**
             * @description The reason its end is not known, for a `stopReason` of `unknown`: `daemonRestarted`, or `transferred` if the session was
             *     exported or forked while the turn ran.
             */
            reason?: string;
            /** @description Reason why the turn ended. */
            stopReason: components["schemas"]["StopReason"];
            /** @description Id of the turn. */
            turnId: string;
            /** @description Usage of the turn, if the agent reports it. */
            usage?: components["schemas"]["Usage"];
        };
        /** @description The agent finished working on a message. */
        TurnEndedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["TurnEndedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turnEnded";
        };
        /** @description Data of the event `turnEnded`. */
        TurnEndedEventData: {
            turnEnded: components["schemas"]["TurnEnded"];
        };
        /** @description Start of a turn. */
        TurnStarted: {
            /** @description Id of the message that the turn works on. Absent if the agent started the turn by itself. */
            messageId?: string;
            /** @description Id of the turn. */
            turnId: string;
        };
        /** @description The agent started to work on a message. */
        TurnStartedEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["TurnStartedEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turnStarted";
        };
        /** @description Data of the event `turnStarted`. */
        TurnStartedEventData: {
            turnStarted: components["schemas"]["TurnStarted"];
        };
        /** @description Result of uninstalling an agent. */
        UninstalledAgent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Versions that were removed. */
            removed: string[];
        };
        /** @description An event of a session. `type` names the single member of `data`. */
        UniversalEvent: components["schemas"]["StartedEvent"] | components["schemas"]["MessageEvent"] | components["schemas"]["MessageDeltaEvent"] | components["schemas"]["QuestionAskedEvent"] | components["schemas"]["QuestionResolvedEvent"] | components["schemas"]["PermissionAskedEvent"] | components["schemas"]["PermissionResolvedEvent"] | components["schemas"]["PlanEvent"] | components["schemas"]["TurnStartedEvent"] | components["schemas"]["TurnEndedEvent"] | components["schemas"]["MessageWithdrawnEvent"] | components["schemas"]["QueueHeldEvent"] | components["schemas"]["QueueReleasedEvent"] | components["schemas"]["QueueReorderedEvent"] | components["schemas"]["ModeChangedEvent"] | components["schemas"]["InfoChangedEvent"] | components["schemas"]["CommandsAvailableEvent"] | components["schemas"]["UsageEvent"] | components["schemas"]["NoticeEvent"] | components["schemas"]["CompactionEvent"] | components["schemas"]["ErrorEvent"] | components["schemas"]["ContinuityEvent"] | components["schemas"]["EndedEvent"] | components["schemas"]["UnknownEvent"];
        /** @description A message. A later message with the same id replaces the earlier one. */
        UniversalMessage: components["schemas"]["ParsedMessage"] | components["schemas"]["UnparsedMessage"];
        /** @description Output of the agent that has no other form. */
        Unknown: {
            /** @description Output of the agent. */
            raw: unknown;
        };
        /** @description Output of the agent that has no other form. */
        UnknownContent: {
            /** @description Output of the agent. */
            raw: unknown;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "unknown";
        };
        /** @description Output of the agent that has no other form. */
        UnknownEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["UnknownEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "unknown";
        };
        /** @description Data of the event `unknown`. */
        UnknownEventData: {
            unknown: components["schemas"]["Unknown"];
        };
        /** @description Output of the agent that has no other form. */
        UnknownPart: {
            /** @description Output of the agent. */
            raw: unknown;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "unknown";
        };
        /**
         * @description Role of a message that could not be parsed.
         * @enum {string}
         */
        UnknownRole: "unknown";
        /** @description Output of the agent that is not a JSON-RPC message. Data of the `unparsed` event. */
        Unparsed: {
            /**
             * Format: int64
             * @description Length of the line in bytes.
             */
            bytes: number;
            /** @description The line. Invalid UTF-8 is replaced. */
            raw: string;
            /** @description Reason why the line is not a message. */
            reason: string;
            /** @description True if `raw` has only the beginning of the line. */
            truncated: boolean;
        };
        /** @description A message that could not be parsed. `role` distinguishes it from other messages. */
        UnparsedMessage: {
            /** @description Reason why the message could not be parsed. */
            error: string;
            /** @description Output of the agent. */
            raw: unknown;
            /** @description Always `unknown`. */
            role: components["schemas"]["UnknownRole"];
        };
        /** @description Content at an address. */
        UriSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "uri";
            /** @description Address of the content; `file://` for a file of the sandbox. */
            uri: string;
        };
        /** @description Tokens and cost. Members that the agent does not report are absent. */
        Usage: {
            /**
             * Format: int64
             * @description Tokens read from a cache.
             */
            cachedReadTokens?: number;
            /**
             * Format: int64
             * @description Tokens written to a cache.
             */
            cachedWriteTokens?: number;
            /**
             * Format: int64
             * @description Tokens that the model's context can hold.
             */
            contextSize?: number;
            /**
             * Format: int64
             * @description Tokens in the model's context.
             */
            contextUsed?: number;
            /** @description Cost. */
            cost?: components["schemas"]["UsageCost"];
            /**
             * Format: int64
             * @description Input tokens.
             */
            inputTokens?: number;
            /**
             * Format: int64
             * @description Output tokens.
             */
            outputTokens?: number;
            /**
             * Format: int64
             * @description Reasoning tokens.
             */
            thoughtTokens?: number;
            /**
             * Format: int64
             * @description All tokens.
             */
            totalTokens?: number;
        };
        /** @description A cost. */
        UsageCost: {
            /**
             * Format: double
             * @description Amount.
             */
            amount: number;
            /** @description Currency, as an ISO 4217 code. */
            currency: string;
        };
        /** @description Tokens and cost of the session. */
        UsageEvent: {
            /** @description Id of the agent. */
            agent: string;
            /** @description Data of the event. */
            data: components["schemas"]["UsageEventData"];
            /**
             * Format: int64
             * @description Id of the event. Ids count from 1 without gaps.
             */
            id: number;
            /** @description The agent's own id of the session, once it is known. */
            nativeSessionId?: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Time at which the event was recorded. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "usage";
        };
        /** @description Data of the event `usage`. */
        UsageEventData: {
            usage: components["schemas"]["Usage"];
        };
        /** @description A sum of tokens and cost. Tokens that no agent reported are absent. */
        UsageFigures: {
            /**
             * Format: int64
             * @description Tokens read from a cache.
             */
            cachedReadTokens?: number;
            /**
             * Format: int64
             * @description Tokens written to a cache.
             */
            cachedWriteTokens?: number;
            /** @description Cost, one entry for each currency. Empty if no agent reported a cost. */
            costs: components["schemas"]["UsageCost"][];
            /**
             * Format: int64
             * @description Input tokens.
             */
            inputTokens?: number;
            /**
             * Format: int64
             * @description Output tokens.
             */
            outputTokens?: number;
            /**
             * Format: int64
             * @description Reasoning tokens.
             */
            thoughtTokens?: number;
            /**
             * Format: int64
             * @description All tokens.
             */
            totalTokens?: number;
            /**
             * Format: int64
             * @description Turns that ended.
             */
            turns: number;
        };
        /** @description Usage of turns that have the same day, agent, model or session, whichever `groupBy` names. */
        UsageGroup: {
            /** @description Id of the agent. Only with `groupBy=agent`. */
            agent?: string;
            /**
             * Format: date
             * @description Day in UTC on which the turns ended, such as `2026-03-14`. Only with `groupBy=day`.
             */
            day?: string;
            /** @description Model that was set when the turns ended. Only with `groupBy=model`; absent for agents that do not report a model. */
            model?: string;
            /** @description Id of the session. Only with `groupBy=session`. */
            sessionId?: string;
            /** @description Sum of the turns. */
            usage: components["schemas"]["UsageFigures"];
        };
        /**
         * @description A property by which usage is grouped.
         * @enum {string}
         */
        UsageGrouping: "session" | "agent" | "model" | "day";
        /** @description Tokens and cost over all sessions, in groups. */
        UsageReport: {
            /** @description Start of the period, inclusive. Absent if it was not given. */
            from?: components["schemas"]["Timestamp"];
            /** @description Groups of this page, ordered by day, agent, model and session. */
            groups: components["schemas"]["UsageGroup"][];
            /** @description True if more groups match. */
            hasMore: boolean;
            /** @description Value of `after` that returns the next page. Absent on the last page. */
            next?: string;
            /** @description End of the period, exclusive. Absent if it was not given. */
            to?: components["schemas"]["Timestamp"];
            /** @description Sum of all groups that match, on all pages. */
            total: components["schemas"]["UsageFigures"];
        };
        /** @description A webhook that receives the events of a session. */
        Webhook: {
            /** @description Types of the events that are sent. Defaults to all but `messageDelta`. */
            events?: components["schemas"]["EventType"][];
            /** @description Key that signs deliveries. */
            secret?: string;
            /** @description Address of the receiver, `http` or `https`. */
            url: string;
        };
        /** @description Body of a delivery. Each event is delivered at least once, in the order of ids. */
        WebhookDelivery: {
            /**
             * Format: int32
             * @description Number of earlier attempts to deliver these events.
             */
            attempt: number;
            /** @description Events. */
            events: components["schemas"]["UniversalEvent"][];
            /** @description Id of the session. */
            sessionId: string;
        };
        /**
         * @description State of a webhook.
         * @enum {string}
         */
        WebhookState: "active" | "failing" | "disabled";
        /** @description Status of a webhook. */
        WebhookStatus: {
            /**
             * Format: int64
             * @description Id of the last event that was delivered or filtered out.
             */
            deliveredEventId: number;
            /**
             * Format: int32
             * @description Number of failures since the last success.
             */
            failures: number;
            /** @description Reason of the last failure. */
            lastError?: string;
            /** @description Time of the next attempt. */
            nextAttemptAt?: components["schemas"]["Timestamp"];
            /** @description State of the webhook. */
            state: components["schemas"]["WebhookState"];
            /** @description Address of the receiver, without parts that may be secret. */
            url: string;
        };
        /**
         * @description The reason a message was withdrawn.
         * @enum {string}
         */
        WithdrawnBy: "client" | "cancelled" | "ended" | "transferred" | "daemonRestarted";
    };
    responses: {
        /** @description A bug of the daemon */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The daemon asks for no token and refuses this `Host` or `Origin` */
        PermissionDenied: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body brought nothing for too long */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The token is missing or wrong */
        TokenInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The daemon's token has fewer than 12 characters, and too many wrong ones were sent */
        TooManyAttempts: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AcpServer = components['schemas']['AcpServer'];
export type AcpServerList = components['schemas']['AcpServerList'];
export type AcpServerStatus = components['schemas']['AcpServerStatus'];
export type AgentCapabilities = components['schemas']['AgentCapabilities'];
export type AgentChoice = components['schemas']['AgentChoice'];
export type AgentConfigChoice = components['schemas']['AgentConfigChoice'];
export type AgentConfigKind = components['schemas']['AgentConfigKind'];
export type AgentConfigOption = components['schemas']['AgentConfigOption'];
export type AgentConfigValue = components['schemas']['AgentConfigValue'];
export type AgentError = components['schemas']['AgentError'];
export type AgentExit = components['schemas']['AgentExit'];
export type AgentInfo = components['schemas']['AgentInfo'];
export type AgentInstallFailedError = components['schemas']['AgentInstallFailedError'];
export type AgentInstallFailedErrorDetails = components['schemas']['AgentInstallFailedErrorDetails'];
export type AgentLaunch = components['schemas']['AgentLaunch'];
export type AgentList = components['schemas']['AgentList'];
export type AgentModels = components['schemas']['AgentModels'];
export type AgentModes = components['schemas']['AgentModes'];
export type AgentPatch = components['schemas']['AgentPatch'];
export type AgentProcessExitedError = components['schemas']['AgentProcessExitedError'];
export type AgentProcessExitedErrorDetails = components['schemas']['AgentProcessExitedErrorDetails'];
export type AgentProtocolError = components['schemas']['AgentProtocolError'];
export type AgentProtocolErrorDetails = components['schemas']['AgentProtocolErrorDetails'];
export type AgentServerState = components['schemas']['AgentServerState'];
export type AgentServerStatus = components['schemas']['AgentServerStatus'];
export type AgentSpawnFailedError = components['schemas']['AgentSpawnFailedError'];
export type AgentSpawnFailedErrorDetails = components['schemas']['AgentSpawnFailedErrorDetails'];
export type AgentTimeoutError = components['schemas']['AgentTimeoutError'];
export type AgentTimeoutErrorDetails = components['schemas']['AgentTimeoutErrorDetails'];
export type AgentTokenError = components['schemas']['AgentTokenError'];
export type AgentTokenErrorDetails = components['schemas']['AgentTokenErrorDetails'];
export type AgentUnsupportedError = components['schemas']['AgentUnsupportedError'];
export type AgentUnsupportedErrorDetails = components['schemas']['AgentUnsupportedErrorDetails'];
export type AllowRule = components['schemas']['AllowRule'];
export type Base64Source = components['schemas']['Base64Source'];
export type BuiltinLaunch = components['schemas']['BuiltinLaunch'];
export type CancelResult = components['schemas']['CancelResult'];
export type ChangedChoices = components['schemas']['ChangedChoices'];
export type ChoiceGroup = components['schemas']['ChoiceGroup'];
export type Command = components['schemas']['Command'];
export type CommandLaunch = components['schemas']['CommandLaunch'];
export type CommandsAvailable = components['schemas']['CommandsAvailable'];
export type CommandsAvailableEvent = components['schemas']['CommandsAvailableEvent'];
export type CommandsAvailableEventData = components['schemas']['CommandsAvailableEventData'];
export type Compaction = components['schemas']['Compaction'];
export type CompactionEvent = components['schemas']['CompactionEvent'];
export type CompactionEventData = components['schemas']['CompactionEventData'];
export type Continuity = components['schemas']['Continuity'];
export type ContinuityEvent = components['schemas']['ContinuityEvent'];
export type ContinuityEventData = components['schemas']['ContinuityEventData'];
export type ContinuityKind = components['schemas']['ContinuityKind'];
export type CrashInfo = components['schemas']['CrashInfo'];
export type CreateSession = components['schemas']['CreateSession'];
export type CredentialInfo = components['schemas']['CredentialInfo'];
export type CredentialStatus = components['schemas']['CredentialStatus'];
export type Decision = components['schemas']['Decision'];
export type Delivery = components['schemas']['Delivery'];
export type DeltaKind = components['schemas']['DeltaKind'];
export type Diff = components['schemas']['Diff'];
export type DiffContent = components['schemas']['DiffContent'];
export type Ended = components['schemas']['Ended'];
export type EndedEvent = components['schemas']['EndedEvent'];
export type EndedEventData = components['schemas']['EndedEventData'];
export type ErrorEvent = components['schemas']['ErrorEvent'];
export type ErrorEventData = components['schemas']['ErrorEventData'];
export type ErrorPart = components['schemas']['ErrorPart'];
export type EventPage = components['schemas']['EventPage'];
export type EventType = components['schemas']['EventType'];
export type FileContent = components['schemas']['FileContent'];
export type FilePart = components['schemas']['FilePart'];
export type FileSource = components['schemas']['FileSource'];
export type ForkSession = components['schemas']['ForkSession'];
export type FsActionResponse = components['schemas']['FsActionResponse'];
export type FsChange = components['schemas']['FsChange'];
export type FsChangeKind = components['schemas']['FsChangeKind'];
export type FsEntry = components['schemas']['FsEntry'];
export type FsEntryType = components['schemas']['FsEntryType'];
export type FsMatch = components['schemas']['FsMatch'];
export type FsMoveRequest = components['schemas']['FsMoveRequest'];
export type FsMoveResponse = components['schemas']['FsMoveResponse'];
export type FsOverflow = components['schemas']['FsOverflow'];
export type FsSearchResponse = components['schemas']['FsSearchResponse'];
export type FsStat = components['schemas']['FsStat'];
export type FsUploadBatchResponse = components['schemas']['FsUploadBatchResponse'];
export type FsWatchData = components['schemas']['FsWatchData'];
export type FsWatchReady = components['schemas']['FsWatchReady'];
export type FsWriteResponse = components['schemas']['FsWriteResponse'];
export type FunctionCallPart = components['schemas']['FunctionCallPart'];
export type FunctionResultPart = components['schemas']['FunctionResultPart'];
export type Gap = components['schemas']['Gap'];
export type Health = components['schemas']['Health'];
export type ImageContent = components['schemas']['ImageContent'];
export type ImagePart = components['schemas']['ImagePart'];
export type Info = components['schemas']['Info'];
export type InfoChanged = components['schemas']['InfoChanged'];
export type InfoChangedEvent = components['schemas']['InfoChangedEvent'];
export type InfoChangedEventData = components['schemas']['InfoChangedEventData'];
export type InfoLinks = components['schemas']['InfoLinks'];
export type InputPart = components['schemas']['InputPart'];
export type InstallActivatingEvent = components['schemas']['InstallActivatingEvent'];
export type InstallAgent = components['schemas']['InstallAgent'];
export type InstallArtifact = components['schemas']['InstallArtifact'];
export type InstallDoneEvent = components['schemas']['InstallDoneEvent'];
export type InstallDownloadingEvent = components['schemas']['InstallDownloadingEvent'];
export type InstallEvent = components['schemas']['InstallEvent'];
export type InstallFailedEvent = components['schemas']['InstallFailedEvent'];
export type InstallOnlyLaunch = components['schemas']['InstallOnlyLaunch'];
export type InstallResolvingEvent = components['schemas']['InstallResolvingEvent'];
export type InstallSource = components['schemas']['InstallSource'];
export type InstallSourceFailedEvent = components['schemas']['InstallSourceFailedEvent'];
export type InstallUnpackingEvent = components['schemas']['InstallUnpackingEvent'];
export type InstallVerifyingEvent = components['schemas']['InstallVerifyingEvent'];
export type InstallWaitingEvent = components['schemas']['InstallWaitingEvent'];
export type InstalledAgent = components['schemas']['InstalledAgent'];
export type InstalledVersion = components['schemas']['InstalledVersion'];
export type JsonRpcError = components['schemas']['JsonRpcError'];
export type JsonRpcErrorDetails = components['schemas']['JsonRpcErrorDetails'];
export type JsonRpcMessage = components['schemas']['JsonRpcMessage'];
export type JsonRpcNotification = components['schemas']['JsonRpcNotification'];
export type JsonRpcRequest = components['schemas']['JsonRpcRequest'];
export type JsonRpcResult = components['schemas']['JsonRpcResult'];
export type LatestVersion = components['schemas']['LatestVersion'];
export type Location = components['schemas']['Location'];
export type McpConfigList = components['schemas']['McpConfigList'];
export type McpLocalServer = components['schemas']['McpLocalServer'];
export type McpRemoteServer = components['schemas']['McpRemoteServer'];
export type McpServerConfig = components['schemas']['McpServerConfig'];
export type MessageAccepted = components['schemas']['MessageAccepted'];
export type MessageDelta = components['schemas']['MessageDelta'];
export type MessageDeltaEvent = components['schemas']['MessageDeltaEvent'];
export type MessageDeltaEventData = components['schemas']['MessageDeltaEventData'];
export type MessageEvent = components['schemas']['MessageEvent'];
export type MessageEventData = components['schemas']['MessageEventData'];
export type MessagePart = components['schemas']['MessagePart'];
export type MessageWithdrawn = components['schemas']['MessageWithdrawn'];
export type MessageWithdrawnEvent = components['schemas']['MessageWithdrawnEvent'];
export type MessageWithdrawnEventData = components['schemas']['MessageWithdrawnEventData'];
export type ModeChanged = components['schemas']['ModeChanged'];
export type ModeChangedEvent = components['schemas']['ModeChangedEvent'];
export type ModeChangedEventData = components['schemas']['ModeChangedEventData'];
export type ModeCombination = components['schemas']['ModeCombination'];
export type ModeEffect = components['schemas']['ModeEffect'];
export type ModeEnforcer = components['schemas']['ModeEnforcer'];
export type Notice = components['schemas']['Notice'];
export type NoticeEvent = components['schemas']['NoticeEvent'];
export type NoticeEventData = components['schemas']['NoticeEventData'];
export type NoticeSeverity = components['schemas']['NoticeSeverity'];
export type OfferSource = components['schemas']['OfferSource'];
export type OptionValue = components['schemas']['OptionValue'];
export type ParsedMessage = components['schemas']['ParsedMessage'];
export type PermissionAskedEvent = components['schemas']['PermissionAskedEvent'];
export type PermissionAskedEventData = components['schemas']['PermissionAskedEventData'];
export type PermissionMode = components['schemas']['PermissionMode'];
export type PermissionOption = components['schemas']['PermissionOption'];
export type PermissionPolicy = components['schemas']['PermissionPolicy'];
export type PermissionReply = components['schemas']['PermissionReply'];
export type PermissionReplyKind = components['schemas']['PermissionReplyKind'];
export type PermissionRequest = components['schemas']['PermissionRequest'];
export type PermissionResolved = components['schemas']['PermissionResolved'];
export type PermissionResolvedEvent = components['schemas']['PermissionResolvedEvent'];
export type PermissionResolvedEventData = components['schemas']['PermissionResolvedEventData'];
export type PermissionRule = components['schemas']['PermissionRule'];
export type Plan = components['schemas']['Plan'];
export type PlanEntry = components['schemas']['PlanEntry'];
export type PlanEvent = components['schemas']['PlanEvent'];
export type PlanEventData = components['schemas']['PlanEventData'];
export type PlanPriority = components['schemas']['PlanPriority'];
export type PlanStatus = components['schemas']['PlanStatus'];
export type PostMessage = components['schemas']['PostMessage'];
export type PostMessageParts = components['schemas']['PostMessageParts'];
export type PostTextMessage = components['schemas']['PostTextMessage'];
export type Problem = components['schemas']['Problem'];
export type ProcessConfig = components['schemas']['ProcessConfig'];
export type ProcessConfigChange = components['schemas']['ProcessConfigChange'];
export type ProcessCreateRequest = components['schemas']['ProcessCreateRequest'];
export type ProcessExit = components['schemas']['ProcessExit'];
export type ProcessInfo = components['schemas']['ProcessInfo'];
export type ProcessInputRequest = components['schemas']['ProcessInputRequest'];
export type ProcessInputResponse = components['schemas']['ProcessInputResponse'];
export type ProcessListResponse = components['schemas']['ProcessListResponse'];
export type ProcessLogData = components['schemas']['ProcessLogData'];
export type ProcessLogEncoding = components['schemas']['ProcessLogEncoding'];
export type ProcessLogEntry = components['schemas']['ProcessLogEntry'];
export type ProcessLogGap = components['schemas']['ProcessLogGap'];
export type ProcessLogsResponse = components['schemas']['ProcessLogsResponse'];
export type ProcessLogsStream = components['schemas']['ProcessLogsStream'];
export type ProcessOwner = components['schemas']['ProcessOwner'];
export type ProcessRunRequest = components['schemas']['ProcessRunRequest'];
export type ProcessRunResponse = components['schemas']['ProcessRunResponse'];
export type ProcessState = components['schemas']['ProcessState'];
export type ProcessTerminalSize = components['schemas']['ProcessTerminalSize'];
export type Question = components['schemas']['Question'];
export type QuestionAskedEvent = components['schemas']['QuestionAskedEvent'];
export type QuestionAskedEventData = components['schemas']['QuestionAskedEventData'];
export type QuestionKind = components['schemas']['QuestionKind'];
export type QuestionOption = components['schemas']['QuestionOption'];
export type QuestionOutcome = components['schemas']['QuestionOutcome'];
export type QuestionReply = components['schemas']['QuestionReply'];
export type QuestionRequest = components['schemas']['QuestionRequest'];
export type QuestionResolved = components['schemas']['QuestionResolved'];
export type QuestionResolvedEvent = components['schemas']['QuestionResolvedEvent'];
export type QuestionResolvedEventData = components['schemas']['QuestionResolvedEventData'];
export type QueueHeld = components['schemas']['QueueHeld'];
export type QueueHeldEvent = components['schemas']['QueueHeldEvent'];
export type QueueHeldEventData = components['schemas']['QueueHeldEventData'];
export type QueueOrder = components['schemas']['QueueOrder'];
export type QueueReleased = components['schemas']['QueueReleased'];
export type QueueReleasedEvent = components['schemas']['QueueReleasedEvent'];
export type QueueReleasedEventData = components['schemas']['QueueReleasedEventData'];
export type QueueReordered = components['schemas']['QueueReordered'];
export type QueueReorderedEvent = components['schemas']['QueueReorderedEvent'];
export type QueueReorderedEventData = components['schemas']['QueueReorderedEventData'];
export type QueuedMessage = components['schemas']['QueuedMessage'];
export type ReasoningPart = components['schemas']['ReasoningPart'];
export type ResolvedBy = components['schemas']['ResolvedBy'];
export type Role = components['schemas']['Role'];
export type Session = components['schemas']['Session'];
export type SessionChoice = components['schemas']['SessionChoice'];
export type SessionChoices = components['schemas']['SessionChoices'];
export type SessionList = components['schemas']['SessionList'];
export type SessionOption = components['schemas']['SessionOption'];
export type SessionPatch = components['schemas']['SessionPatch'];
export type SessionState = components['schemas']['SessionState'];
export type SessionStreamData = components['schemas']['SessionStreamData'];
export type SkillSource = components['schemas']['SkillSource'];
export type SkillSourceType = components['schemas']['SkillSourceType'];
export type SkillsConfig = components['schemas']['SkillsConfig'];
export type SkillsConfigList = components['schemas']['SkillsConfigList'];
export type Started = components['schemas']['Started'];
export type StartedEvent = components['schemas']['StartedEvent'];
export type StartedEventData = components['schemas']['StartedEventData'];
export type StopReason = components['schemas']['StopReason'];
export type TerminalClientFrame = components['schemas']['TerminalClientFrame'];
export type TerminalCloseFrame = components['schemas']['TerminalCloseFrame'];
export type TerminalContent = components['schemas']['TerminalContent'];
export type TerminalErrorFrame = components['schemas']['TerminalErrorFrame'];
export type TerminalExitFrame = components['schemas']['TerminalExitFrame'];
export type TerminalInputFrame = components['schemas']['TerminalInputFrame'];
export type TerminalReadyFrame = components['schemas']['TerminalReadyFrame'];
export type TerminalResizeFrame = components['schemas']['TerminalResizeFrame'];
export type TerminalServerFrame = components['schemas']['TerminalServerFrame'];
export type TextContent = components['schemas']['TextContent'];
export type TextPart = components['schemas']['TextPart'];
export type TextSource = components['schemas']['TextSource'];
export type Ticket = components['schemas']['Ticket'];
export type TicketRequest = components['schemas']['TicketRequest'];
export type TimeoutDecision = components['schemas']['TimeoutDecision'];
export type Timestamp = components['schemas']['Timestamp'];
export type ToolCallPart = components['schemas']['ToolCallPart'];
export type ToolContent = components['schemas']['ToolContent'];
export type ToolKind = components['schemas']['ToolKind'];
export type ToolResultPart = components['schemas']['ToolResultPart'];
export type ToolStatus = components['schemas']['ToolStatus'];
export type TranscriptMessage = components['schemas']['TranscriptMessage'];
export type TranscriptOrder = components['schemas']['TranscriptOrder'];
export type TranscriptPage = components['schemas']['TranscriptPage'];
export type TranscriptState = components['schemas']['TranscriptState'];
export type Turn = components['schemas']['Turn'];
export type TurnEnded = components['schemas']['TurnEnded'];
export type TurnEndedEvent = components['schemas']['TurnEndedEvent'];
export type TurnEndedEventData = components['schemas']['TurnEndedEventData'];
export type TurnStarted = components['schemas']['TurnStarted'];
export type TurnStartedEvent = components['schemas']['TurnStartedEvent'];
export type TurnStartedEventData = components['schemas']['TurnStartedEventData'];
export type UninstalledAgent = components['schemas']['UninstalledAgent'];
export type UniversalEvent = components['schemas']['UniversalEvent'];
export type UniversalMessage = components['schemas']['UniversalMessage'];
export type Unknown = components['schemas']['Unknown'];
export type UnknownContent = components['schemas']['UnknownContent'];
export type UnknownEvent = components['schemas']['UnknownEvent'];
export type UnknownEventData = components['schemas']['UnknownEventData'];
export type UnknownPart = components['schemas']['UnknownPart'];
export type UnknownRole = components['schemas']['UnknownRole'];
export type Unparsed = components['schemas']['Unparsed'];
export type UnparsedMessage = components['schemas']['UnparsedMessage'];
export type UriSource = components['schemas']['UriSource'];
export type Usage = components['schemas']['Usage'];
export type UsageCost = components['schemas']['UsageCost'];
export type UsageEvent = components['schemas']['UsageEvent'];
export type UsageEventData = components['schemas']['UsageEventData'];
export type UsageFigures = components['schemas']['UsageFigures'];
export type UsageGroup = components['schemas']['UsageGroup'];
export type UsageGrouping = components['schemas']['UsageGrouping'];
export type UsageReport = components['schemas']['UsageReport'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookState = components['schemas']['WebhookState'];
export type WebhookStatus = components['schemas']['WebhookStatus'];
export type WithdrawnBy = components['schemas']['WithdrawnBy'];
export type ResponseInternal = components['responses']['Internal'];
export type ResponsePermissionDenied = components['responses']['PermissionDenied'];
export type ResponseRequestTimeout = components['responses']['RequestTimeout'];
export type ResponseTokenInvalid = components['responses']['TokenInvalid'];
export type ResponseTooManyAttempts = components['responses']['TooManyAttempts'];
export type $defs = Record<string, never>;
export interface operations {
    getInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Name, version and links */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "sandbox-agent",
                     *       "version": "1.0.0",
                     *       "links": {
                     *         "health": "/v1/health",
                     *         "openapi": "/v1/openapi.json",
                     *         "agents": "/v1/agents",
                     *         "sessions": "/v1/sessions",
                     *         "acpServers": "/v1/acp",
                     *         "acp": "/acp",
                     *         "metrics": "/metrics"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Info"];
                };
            };
        };
    };
    streamAcpConnection: {
        parameters: {
            query?: {
                /** @description The agent to start, for a new server or connection, or to start an ended agent again */
                agent?: string;
                /** @description The version to start, installed first if need be; the current one by default */
                agentVersion?: string;
                /** @description Continue after the event of this number, for clients that cannot send headers. `Last-Event-ID` is stronger, so a client that reconnects may keep the URL */
                lastEventId?: number;
                /** @description A ticket from `POST /v1/tickets`, for clients that cannot send headers */
                ticket?: string;
            };
            header?: {
                /** @description The connection */
                "Acp-Connection-Id"?: string;
                /** @description The session; without it the connection's own stream */
                "Acp-Session-Id"?: string;
                /** @description Continue after this event */
                "Last-Event-ID"?: number;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The WebSocket is open */
            101: {
                headers: {
                    /** @description The connection */
                    "Acp-Connection-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The stream */
            200: {
                headers: {
                    /** @description The connection */
                    "Acp-Connection-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: message
                     *     id: 1
                     *     data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}
                     */
                    "text/event-stream": string;
                };
            };
        };
    };
    postAcpConnection: {
        parameters: {
            query?: {
                /** @description The agent to start, for a new server or connection, or to start an ended agent again */
                agent?: string;
                /** @description The version to start, installed first if need be; the current one by default */
                agentVersion?: string;
            };
            header?: {
                /** @description The connection */
                "Acp-Connection-Id"?: string;
                /** @description The session the message is about */
                "Acp-Session-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description One JSON-RPC 2.0 message */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "initialize",
                 *       "params": {
                 *         "protocolVersion": 1,
                 *         "clientCapabilities": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["JsonRpcMessage"];
            };
        };
        responses: {
            /** @description The response to `initialize` */
            200: {
                headers: {
                    /** @description The new connection */
                    "Acp-Connection-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jsonrpc": "2.0",
                     *       "id": 1,
                     *       "result": {
                     *         "protocolVersion": 1,
                     *         "agentCapabilities": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["JsonRpcMessage"];
                };
            };
            /** @description The message is on its way */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    closeAcpConnection: {
        parameters: {
            query?: {
                /** @description Without effect; for clients that send every request to the URL they were given */
                agent?: string;
                /** @description Without effect, as `agent` */
                agentVersion?: string;
            };
            header: {
                /** @description The connection */
                "Acp-Connection-Id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection is closed and its agent gone */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics in the OpenMetrics text format */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # TYPE sandbox_agent_processes gauge
                     *     sandbox_agent_processes 1
                     *     # EOF
                     */
                    "application/openmetrics-text": string;
                };
            };
        };
    };
    listAcpServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every ACP server, also those whose agent has ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "servers": [
                     *         {
                     *           "serverId": "editor-1",
                     *           "agent": "claude",
                     *           "agentVersion": "2.1.325",
                     *           "createdAt": "2026-03-14T20:42:18.250Z",
                     *           "createdAtMs": 1773520938250,
                     *           "status": "running",
                     *           "pid": 4120,
                     *           "pendingRequests": 0,
                     *           "lastEventId": 12
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AcpServerList"];
                };
            };
        };
    };
    streamAcpMessages: {
        parameters: {
            query?: {
                /** @description Continue after the event of this number, for clients that cannot send headers. `Last-Event-ID` is stronger, so a client that reconnects may keep the URL */
                lastEventId?: number;
                /** @description The agent to start, for a new server or connection, or to start an ended agent again */
                agent?: string;
                /** @description The version to start, installed first if need be; the current one by default */
                agentVersion?: string;
                /** @description A ticket from `POST /v1/tickets`, for clients that cannot send headers */
                ticket?: string;
            };
            header?: {
                /** @description Continue after this event */
                "Last-Event-ID"?: number;
                /** @description The connection; makes this the standard transport */
                "Acp-Connection-Id"?: string;
                /** @description Standard transport: stream this session */
                "Acp-Session-Id"?: string;
            };
            path: {
                /** @description The server */
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The WebSocket is open */
            101: {
                headers: {
                    /** @description The server's id */
                    "Acp-Connection-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: message
                     *     id: 1
                     *     data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}
                     */
                    "text/event-stream": string;
                };
            };
        };
    };
    postAcpMessage: {
        parameters: {
            query?: {
                /** @description The agent to start, for a new server or connection, or to start an ended agent again */
                agent?: string;
                /** @description The version to start, installed first if need be; the current one by default */
                agentVersion?: string;
            };
            header?: {
                /** @description `wait`: send the status with the response; `wait=N`: or after N seconds; `respond-async`: do not wait for the response */
                Prefer?: string;
                /** @description The connection; makes this the standard transport */
                "Acp-Connection-Id"?: string;
                /** @description Standard transport: the session the message is about */
                "Acp-Session-Id"?: string;
            };
            path: {
                /** @description Chosen by the client: 1 to 128 of A-Z, a-z, 0-9, `-_.~:@` */
                serverId: string;
            };
            cookie?: never;
        };
        /** @description One JSON-RPC 2.0 message, passed on byte for byte */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "initialize",
                 *       "params": {
                 *         "protocolVersion": 1,
                 *         "clientCapabilities": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["JsonRpcMessage"];
            };
        };
        responses: {
            /** @description The agent's response to a request */
            200: {
                headers: {
                    /** @description The server's id, which is a connection id as well */
                    "Acp-Connection-Id"?: string;
                    /** @description The preference that was followed, if there was one */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jsonrpc": "2.0",
                     *       "id": 1,
                     *       "result": {
                     *         "protocolVersion": 1,
                     *         "agentCapabilities": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["JsonRpcMessage"];
                };
            };
            /** @description A notification, a response or a `respond-async` request is on its way */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteAcpServer: {
        parameters: {
            query?: {
                /** @description Without effect; for clients that send every request to the URL they were given */
                agent?: string;
                /** @description Without effect, as `agent` */
                agentVersion?: string;
            };
            header?: {
                /** @description The connection; makes this the standard transport */
                "Acp-Connection-Id"?: string;
            };
            path: {
                /** @description The server */
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection is closed (standard transport) */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no such server now */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description Query installed agents for their modes, models and reasoning efforts (takes a few seconds) */
                config?: boolean;
                /** @description Query the agent again instead of using its last answer, even if it has no credentials */
                noCache?: boolean;
                /**
                 * @deprecated
                 * @description Old name of `noCache`.
                 */
                no_cache?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every agent this daemon knows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agents": [
                     *         {
                     *           "id": "claude",
                     *           "name": "Claude Code",
                     *           "launch": {
                     *             "kind": "builtin",
                     *             "program": "claude"
                     *           },
                     *           "installed": true,
                     *           "installable": true,
                     *           "builtIn": false,
                     *           "version": "2.1.325",
                     *           "path": "/home/dev/.local/share/sandbox-agent/agents/claude/2.1.325/claude",
                     *           "source": "vendor",
                     *           "versions": [],
                     *           "credentialsAvailable": true,
                     *           "credentialStatus": "available",
                     *           "credentials": [
                     *             {
                     *               "provider": "anthropic",
                     *               "kind": "apiKey",
                     *               "origin": "ANTHROPIC_API_KEY"
                     *             }
                     *           ],
                     *           "capabilities": {
                     *             "planMode": true,
                     *             "permissions": true,
                     *             "questions": true,
                     *             "toolCalls": true,
                     *             "toolResults": true,
                     *             "textMessages": true,
                     *             "images": true,
                     *             "fileAttachments": true,
                     *             "sessionLifecycle": true,
                     *             "errorEvents": true,
                     *             "reasoning": true,
                     *             "status": true,
                     *             "commandExecution": true,
                     *             "fileChanges": true,
                     *             "mcpTools": true,
                     *             "streamingDeltas": true,
                     *             "itemStarted": true,
                     *             "sharedProcess": false
                     *           },
                     *           "running": 1,
                     *           "serverStatus": {
                     *             "status": "running",
                     *             "uptimeMs": 90250
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AgentList"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: {
                /** @description Query installed agents for their modes, models and reasoning efforts (takes a few seconds) */
                config?: boolean;
                /** @description Query the agent again instead of using its last answer, even if it has no credentials */
                noCache?: boolean;
                /**
                 * @deprecated
                 * @description Old name of `noCache`.
                 */
                no_cache?: boolean;
            };
            header?: never;
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "claude",
                     *       "name": "Claude Code",
                     *       "launch": {
                     *         "kind": "builtin",
                     *         "program": "claude"
                     *       },
                     *       "installed": true,
                     *       "installable": true,
                     *       "builtIn": false,
                     *       "version": "2.1.325",
                     *       "path": "/home/dev/.local/share/sandbox-agent/agents/claude/2.1.325/claude",
                     *       "source": "vendor",
                     *       "versions": [],
                     *       "credentialsAvailable": true,
                     *       "credentialStatus": "available",
                     *       "credentials": [
                     *         {
                     *           "provider": "anthropic",
                     *           "kind": "apiKey",
                     *           "origin": "ANTHROPIC_API_KEY"
                     *         }
                     *       ],
                     *       "capabilities": {
                     *         "planMode": true,
                     *         "permissions": true,
                     *         "questions": true,
                     *         "toolCalls": true,
                     *         "toolResults": true,
                     *         "textMessages": true,
                     *         "images": true,
                     *         "fileAttachments": true,
                     *         "sessionLifecycle": true,
                     *         "errorEvents": true,
                     *         "reasoning": true,
                     *         "status": true,
                     *         "commandExecution": true,
                     *         "fileChanges": true,
                     *         "mcpTools": true,
                     *         "streamingDeltas": true,
                     *         "itemStarted": true,
                     *         "sharedProcess": false
                     *       },
                     *       "running": 1,
                     *       "serverStatus": {
                     *         "status": "running",
                     *         "uptimeMs": 90250
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AgentInfo"];
                };
            };
        };
    };
    uninstallAgent: {
        parameters: {
            query?: {
                /** @description Remove only this version */
                agentVersion?: string;
                /**
                 * @deprecated
                 * @description The same as `agentVersion`
                 */
                version?: string;
            };
            header?: never;
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions that were removed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent": "claude",
                     *       "removed": [
                     *         "2.1.197"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UninstalledAgent"];
                };
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        /** @description The changes */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currentVersion": "2.1.325"
                 *     }
                 */
                "application/json": components["schemas"]["AgentPatch"];
            };
        };
        responses: {
            /** @description The agent as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "claude",
                     *       "name": "Claude Code",
                     *       "launch": {
                     *         "kind": "builtin",
                     *         "program": "claude"
                     *       },
                     *       "installed": true,
                     *       "installable": true,
                     *       "builtIn": false,
                     *       "version": "2.1.325",
                     *       "path": "/home/dev/.local/share/sandbox-agent/agents/claude/2.1.325/claude",
                     *       "source": "vendor",
                     *       "versions": [],
                     *       "credentialsAvailable": true,
                     *       "credentialStatus": "available",
                     *       "credentials": [
                     *         {
                     *           "provider": "anthropic",
                     *           "kind": "apiKey",
                     *           "origin": "ANTHROPIC_API_KEY"
                     *         }
                     *       ],
                     *       "capabilities": {
                     *         "planMode": true,
                     *         "permissions": true,
                     *         "questions": true,
                     *         "toolCalls": true,
                     *         "toolResults": true,
                     *         "textMessages": true,
                     *         "images": true,
                     *         "fileAttachments": true,
                     *         "sessionLifecycle": true,
                     *         "errorEvents": true,
                     *         "reasoning": true,
                     *         "status": true,
                     *         "commandExecution": true,
                     *         "fileChanges": true,
                     *         "mcpTools": true,
                     *         "streamingDeltas": true,
                     *         "itemStarted": true,
                     *         "sharedProcess": false
                     *       },
                     *       "running": 1,
                     *       "serverStatus": {
                     *         "status": "running",
                     *         "uptimeMs": 90250
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AgentInfo"];
                };
            };
        };
    };
    streamAgentAcpConnection: {
        parameters: {
            query?: {
                /** @description The version to start, installed first if need be; the current one by default */
                agentVersion?: string;
                /** @description Continue after the event of this number, for clients that cannot send headers. `Last-Event-ID` is stronger, so a client that reconnects may keep the URL */
                lastEventId?: number;
                /** @description A ticket from `POST /v1/tickets`, for clients that cannot send headers */
                ticket?: string;
            };
            header?: {
                /** @description The connection */
                "Acp-Connection-Id"?: string;
                /** @description The session; without it the connection's own stream */
                "Acp-Session-Id"?: string;
                /** @description Continue after this event */
                "Last-Event-ID"?: number;
            };
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The WebSocket is open */
            101: {
                headers: {
                    /** @description The connection */
                    "Acp-Connection-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The stream */
            200: {
                headers: {
                    /** @description The connection */
                    "Acp-Connection-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: message
                     *     id: 1
                     *     data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}
                     */
                    "text/event-stream": string;
                };
            };
        };
    };
    postAgentAcpConnection: {
        parameters: {
            query?: {
                /** @description The version to start, installed first if need be; the current one by default */
                agentVersion?: string;
            };
            header?: {
                /** @description The connection */
                "Acp-Connection-Id"?: string;
                /** @description The session the message is about */
                "Acp-Session-Id"?: string;
            };
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        /** @description One JSON-RPC 2.0 message */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "initialize",
                 *       "params": {
                 *         "protocolVersion": 1,
                 *         "clientCapabilities": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["JsonRpcMessage"];
            };
        };
        responses: {
            /** @description The response to `initialize` */
            200: {
                headers: {
                    /** @description The new connection */
                    "Acp-Connection-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jsonrpc": "2.0",
                     *       "id": 1,
                     *       "result": {
                     *         "protocolVersion": 1,
                     *         "agentCapabilities": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["JsonRpcMessage"];
                };
            };
            /** @description The message is on its way */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    closeAgentAcpConnection: {
        parameters: {
            query?: {
                /** @description Without effect, as `agent` */
                agentVersion?: string;
            };
            header: {
                /** @description The connection */
                "Acp-Connection-Id": string;
            };
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection is closed and its agent gone */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    installAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        /** @description What to install; the latest version by default */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "agentVersion": "latest"
                 *     }
                 */
                "application/json": components["schemas"]["InstallAgent"];
            };
        };
        responses: {
            /** @description The agent is installed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent": "claude",
                     *       "version": "2.1.325",
                     *       "path": "/home/dev/.local/share/sandbox-agent/agents/claude/2.1.325/claude",
                     *       "source": "vendor",
                     *       "alreadyInstalled": false,
                     *       "already_installed": false,
                     *       "builtIn": false,
                     *       "current": true,
                     *       "artifacts": [
                     *         {
                     *           "kind": "native_agent",
                     *           "path": "/home/dev/.local/share/sandbox-agent/agents/claude/2.1.325/claude",
                     *           "source": "vendor",
                     *           "version": "2.1.325"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InstalledAgent"];
                };
            };
        };
    };
    streamAgentInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        /** @description What to install; the latest version by default */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "agentVersion": "latest"
                 *     }
                 */
                "application/json": components["schemas"]["InstallAgent"];
            };
        };
        responses: {
            /** @description The progress of the installation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "step": "downloading",
                     *       "url": "https://downloads.example.com/claude-2.1.325.tar.gz",
                     *       "received": 1048576,
                     *       "total": 73400320
                     *     }
                     */
                    "text/event-stream": components["schemas"]["InstallEvent"];
                };
            };
        };
    };
    getLatestAgentVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest version, and the installed one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent": "claude",
                     *       "installed": "2.1.197",
                     *       "latest": "2.1.325",
                     *       "outdated": true
                     *     }
                     */
                    "application/json": components["schemas"]["LatestVersion"];
                };
            };
        };
    };
    listAgentModels: {
        parameters: {
            query?: {
                /** @description Query the agent again instead of using its last answer, even if it has no credentials */
                noCache?: boolean;
                /**
                 * @deprecated
                 * @description Old name of `noCache`.
                 */
                no_cache?: boolean;
            };
            header?: never;
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent's models; none if it does not list them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "models": [
                     *         {
                     *           "id": "sonnet",
                     *           "name": "Sonnet"
                     *         }
                     *       ],
                     *       "variants": [],
                     *       "current": "sonnet",
                     *       "source": "agent",
                     *       "complete": true
                     *     }
                     */
                    "application/json": components["schemas"]["AgentModels"];
                };
            };
        };
    };
    listAgentModes: {
        parameters: {
            query?: {
                /** @description Query the agent again instead of using its last answer, even if it has no credentials */
                noCache?: boolean;
                /**
                 * @deprecated
                 * @description Old name of `noCache`.
                 */
                no_cache?: boolean;
            };
            header?: never;
            path: {
                /** @description The agent's id */
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent's modes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "modes": [
                     *         {
                     *           "id": "build",
                     *           "name": "Build"
                     *         },
                     *         {
                     *           "id": "plan",
                     *           "name": "Plan"
                     *         }
                     *       ],
                     *       "permissionModes": [
                     *         {
                     *           "id": "default",
                     *           "name": "Default"
                     *         }
                     *       ],
                     *       "combinations": [
                     *         {
                     *           "agentMode": "build",
                     *           "permissionMode": "default",
                     *           "supported": true,
                     *           "nativeMode": "default",
                     *           "effect": "asks",
                     *           "enforcedBy": "agent"
                     *         }
                     *       ],
                     *       "current": "build",
                     *       "source": "agent",
                     *       "complete": true
                     *     }
                     */
                    "application/json": components["schemas"]["AgentModes"];
                };
            };
        };
    };
    getMcpConfig: {
        parameters: {
            query: {
                /** @description The directory that it is kept for; relative paths start at the workspace */
                directory: string;
                /** @description Name of the server */
                mcpName: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "local",
                     *       "command": "db-mcp",
                     *       "args": [
                     *         "--read-only"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["McpServerConfig"];
                };
            };
        };
    };
    setMcpConfig: {
        parameters: {
            query: {
                /** @description The directory that it is kept for; relative paths start at the workspace */
                directory: string;
                /** @description Name of the server */
                mcpName: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The server */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "local",
                 *       "command": "db-mcp",
                 *       "args": [
                 *         "--read-only"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["McpServerConfig"];
            };
        };
        responses: {
            /** @description It is kept */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteMcpConfig: {
        parameters: {
            query: {
                /** @description The directory that it is kept for; relative paths start at the workspace */
                directory: string;
                /** @description Name of the server */
                mcpName: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does not exist any more */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listMcpConfigs: {
        parameters: {
            query: {
                /** @description The directory; relative paths start at the workspace */
                directory: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The servers, by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "servers": {
                     *         "db": {
                     *           "type": "local",
                     *           "command": "db-mcp",
                     *           "args": [
                     *             "--read-only"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["McpConfigList"];
                };
            };
        };
    };
    getSkillsConfig: {
        parameters: {
            query: {
                /** @description The directory that it is kept for; relative paths start at the workspace */
                directory: string;
                /** @description Name of the set of skills */
                skillName: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skills */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sources": [
                     *         {
                     *           "type": "github",
                     *           "source": "acme/skills",
                     *           "ref": "main"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SkillsConfig"];
                };
            };
        };
    };
    setSkillsConfig: {
        parameters: {
            query: {
                /** @description The directory that it is kept for; relative paths start at the workspace */
                directory: string;
                /** @description Name of the set of skills */
                skillName: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Where the skills come from */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sources": [
                 *         {
                 *           "type": "github",
                 *           "source": "acme/skills",
                 *           "ref": "main"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SkillsConfig"];
            };
        };
        responses: {
            /** @description It is kept */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteSkillsConfig: {
        parameters: {
            query: {
                /** @description The directory that it is kept for; relative paths start at the workspace */
                directory: string;
                /** @description Name of the set of skills */
                skillName: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does not exist any more */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listSkillsConfigs: {
        parameters: {
            query: {
                /** @description The directory; relative paths start at the workspace */
                directory: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skills, by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills": {
                     *         "review": {
                     *           "sources": [
                     *             {
                     *               "type": "github",
                     *               "source": "acme/skills",
                     *               "ref": "main"
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SkillsConfigList"];
                };
            };
        };
    };
    downloadFsBatch: {
        parameters: {
            query?: {
                /** @description The directory or file; relative paths start at the workspace, which is also the default */
                path?: string;
                /** @description `tar` (default) or `tar.gz` */
                format?: "tar" | "tar.gz";
                /** @description `false`: leave out `.git` and what `.gitignore` and `.ignore` exclude */
                ignored?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-tar": string;
                    "application/gzip": string;
                };
            };
        };
    };
    listFsEntries: {
        parameters: {
            query?: {
                /** @description The directory or file; relative paths start at the workspace, which is also the default */
                path?: string;
                /** @description Return at most so many entries; more than `files.listed-entries` (100000 by default) counts as that */
                limit?: number;
                /** @description Only names that come after this one */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries */
            200: {
                headers: {
                    /** @description `<URL>; rel="next"`: the next page, relative to this URL. Absent on the last page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "checkout.ts",
                     *         "path": "/workspace/shop/src/checkout.ts",
                     *         "entryType": "file",
                     *         "size": 2048,
                     *         "modified": "2026-03-14T20:42:18.250Z",
                     *         "mode": "0644"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["FsEntry"][];
                };
            };
        };
    };
    deleteFsEntry: {
        parameters: {
            query: {
                /** @description The path; relative paths start at the workspace */
                path: string;
                /** @description Also what is in a directory */
                recursive?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/shop/dist"
                     *     }
                     */
                    "application/json": components["schemas"]["FsActionResponse"];
                };
            };
        };
    };
    readFsFile: {
        parameters: {
            query: {
                /** @description The path; relative paths start at the workspace */
                path: string;
            };
            header?: {
                /** @description One range of bytes: `bytes=0-499`, `bytes=500-`, `bytes=-500` */
                Range?: string;
                /** @description Send the part only of this version, otherwise the whole file */
                "If-Range"?: string;
                /** @description Send only one of these versions */
                "If-Match"?: string;
                /** @description Send none of these versions: the client has it */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    /** @description This version */
                    ETag?: string;
                    /** @description When it was written */
                    "Last-Modified"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The part that was asked for */
            206: {
                headers: {
                    /** @description Which part it is */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    writeFsFile: {
        parameters: {
            query: {
                /** @description The path; relative paths start at the workspace */
                path: string;
                /** @description Permissions of the file in octal, such as `755` */
                mode?: string;
                /** @description `false`: answer before the bytes are on the disk */
                sync?: boolean;
            };
            header?: {
                /** @description Replace only one of these versions */
                "If-Match"?: string;
                /** @description `*`: only if there is nothing yet */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The bytes, of any content type */
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The file was replaced */
            200: {
                headers: {
                    /** @description This version */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/shop/src/checkout.ts",
                     *       "bytesWritten": 2048,
                     *       "etag": "\"1f-64b-9c2e\""
                     *     }
                     */
                    "application/json": components["schemas"]["FsWriteResponse"];
                };
            };
            /** @description The file was created */
            201: {
                headers: {
                    /** @description This version */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/shop/src/checkout.ts",
                     *       "bytesWritten": 2048,
                     *       "etag": "\"1f-64b-9c2e\""
                     *     }
                     */
                    "application/json": components["schemas"]["FsWriteResponse"];
                };
            };
        };
    };
    headFsFile: {
        parameters: {
            query: {
                /** @description The path; relative paths start at the workspace */
                path: string;
            };
            header?: {
                /** @description Answer only if it is one of these versions */
                "If-Match"?: string;
                /** @description Answer 304 if it is one of these versions */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file exists */
            200: {
                headers: {
                    /** @description The file's size in bytes */
                    "Content-Length"?: number;
                    /** @description This version */
                    ETag?: string;
                    /** @description When the file was written */
                    "Last-Modified"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    makeFsDirectory: {
        parameters: {
            query: {
                /** @description The path; relative paths start at the workspace */
                path: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The directory existed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/shop/docs"
                     *     }
                     */
                    "application/json": components["schemas"]["FsActionResponse"];
                };
            };
            /** @description The directory was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/shop/docs"
                     *     }
                     */
                    "application/json": components["schemas"]["FsActionResponse"];
                };
            };
        };
    };
    moveFsEntry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Source and destination */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "shop/notes.md",
                 *       "to": "shop/docs/notes.md"
                 *     }
                 */
                "application/json": components["schemas"]["FsMoveRequest"];
            };
        };
        responses: {
            /** @description It is moved */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "/workspace/shop/notes.md",
                     *       "to": "/workspace/shop/docs/notes.md"
                     *     }
                     */
                    "application/json": components["schemas"]["FsMoveResponse"];
                };
            };
        };
    };
    searchFs: {
        parameters: {
            query?: {
                /** @description The directory or file; relative paths start at the workspace, which is also the default */
                path?: string;
                /** @description A glob: `*.rs`, or `src/**\/*.rs` for paths from where the search begins */
                name?: string;
                /** @description A regular expression for a line */
                content?: string;
                /** @description Take `content` as it is written */
                literal?: boolean;
                /** @description Capital letters are the same as small ones */
                ignoreCase?: boolean;
                /** @description Also `.git` and what `.gitignore` and `.ignore` exclude */
                ignored?: boolean;
                /** @description At most about so many results; a file's lines are kept together */
                limit?: number;
                /** @description Continue after this path: the `next` of the answer before */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Matches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "matches": [
                     *         {
                     *           "path": "/workspace/shop/src/checkout.ts",
                     *           "entryType": "file",
                     *           "line": 12,
                     *           "column": 7,
                     *           "text": "const now = new Date();"
                     *         }
                     *       ],
                     *       "searched": 148,
                     *       "skipped": 0
                     *     }
                     */
                    "application/json": components["schemas"]["FsSearchResponse"];
                };
            };
        };
    };
    statFsEntry: {
        parameters: {
            query: {
                /** @description The path; relative paths start at the workspace */
                path: string;
                /** @description Follow a link at the end of the path */
                follow?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/shop/src/checkout.ts",
                     *       "entryType": "file",
                     *       "size": 2048,
                     *       "modified": "2026-03-14T20:42:18.250Z",
                     *       "mode": "0644",
                     *       "etag": "\"1f-64b-9c2e\""
                     *     }
                     */
                    "application/json": components["schemas"]["FsStat"];
                };
            };
        };
    };
    uploadFsBatch: {
        parameters: {
            query?: {
                /** @description The directory or file; relative paths start at the workspace, which is also the default */
                path?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The archive, plain or compressed; also `application/gzip`, `application/zstd`, `application/octet-stream` or no content type */
        requestBody: {
            content: {
                "application/x-tar": string;
            };
        };
        responses: {
            /** @description It is unpacked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "paths": [
                     *         "/workspace/shop/package.json",
                     *         "/workspace/shop/src/checkout.ts"
                     *       ],
                     *       "truncated": false,
                     *       "entries": 2,
                     *       "bytes": 3120
                     *     }
                     */
                    "application/json": components["schemas"]["FsUploadBatchResponse"];
                };
            };
        };
    };
    watchFs: {
        parameters: {
            query?: {
                /** @description The directory or file; relative paths start at the workspace, which is also the default */
                path?: string;
                /** @description `false`: not what is below */
                recursive?: boolean;
                /** @description Also `.git` and what `.gitignore` and `.ignore` exclude */
                ignored?: boolean;
                /** @description A ticket from `POST /v1/tickets`, for clients that cannot send headers */
                ticket?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/workspace/shop/src/checkout.ts",
                     *       "kind": "modified",
                     *       "directory": false
                     *     }
                     */
                    "text/event-stream": components["schemas"]["FsWatchData"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The daemon answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "1.0.0",
                     *       "uptimeMs": 90250
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0",
                     *       "info": {
                     *         "title": "sandbox-agent",
                     *         "version": "1.0.0"
                     *       },
                     *       "paths": {}
                     *     }
                     */
                    "application/json": unknown;
                };
            };
        };
    };
    listProcesses: {
        parameters: {
            query?: {
                /** @description Only processes of this owner; this daemon starts processes of users only */
                owner?: "user" | "desktop" | "system";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The processes, in the order of their creation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "processes": [
                     *         {
                     *           "id": "proc_1",
                     *           "command": "npm",
                     *           "args": [
                     *             "run",
                     *             "dev"
                     *           ],
                     *           "cwd": "shop",
                     *           "tty": false,
                     *           "interactive": false,
                     *           "owner": "user",
                     *           "status": "running",
                     *           "pid": 4121,
                     *           "createdAt": "2026-03-14T20:42:18.250Z",
                     *           "createdAtMs": 1773520938250
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessListResponse"];
                };
            };
        };
    };
    createProcess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The command */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "npm",
                 *       "args": [
                 *         "run",
                 *         "dev"
                 *       ],
                 *       "cwd": "shop",
                 *       "env": {
                 *         "PORT": "3000"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ProcessCreateRequest"];
            };
        };
        responses: {
            /** @description The process runs */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "proc_1",
                     *       "command": "npm",
                     *       "args": [
                     *         "run",
                     *         "dev"
                     *       ],
                     *       "cwd": "shop",
                     *       "tty": false,
                     *       "interactive": false,
                     *       "owner": "user",
                     *       "status": "running",
                     *       "pid": 4121,
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "createdAtMs": 1773520938250
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessInfo"];
                };
            };
        };
    };
    getProcessConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits in force */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "maxConcurrentProcesses": 32,
                     *       "defaultRunTimeoutMs": 30000,
                     *       "maxRunTimeoutMs": 300000,
                     *       "maxOutputBytes": 1048576,
                     *       "maxLogBytesPerProcess": 10485760,
                     *       "maxInputBytesPerRequest": 65536,
                     *       "maxEndedProcesses": 256,
                     *       "stopGraceMs": 5000
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessConfig"];
                };
            };
        };
    };
    setProcessConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The limits to change */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "maxConcurrentProcesses": 32
                 *     }
                 */
                "application/json": components["schemas"]["ProcessConfigChange"];
            };
        };
        responses: {
            /** @description The limits in force from now on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "maxConcurrentProcesses": 32,
                     *       "defaultRunTimeoutMs": 30000,
                     *       "maxRunTimeoutMs": 300000,
                     *       "maxOutputBytes": 1048576,
                     *       "maxLogBytesPerProcess": 10485760,
                     *       "maxInputBytesPerRequest": 65536,
                     *       "maxEndedProcesses": 256,
                     *       "stopGraceMs": 5000
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessConfig"];
                };
            };
        };
    };
    runProcess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The command */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "git",
                 *       "args": [
                 *         "status",
                 *         "--short"
                 *       ],
                 *       "cwd": "shop",
                 *       "timeoutMs": 5000
                 *     }
                 */
                "application/json": components["schemas"]["ProcessRunRequest"];
            };
        };
        responses: {
            /** @description It ran, whatever came of it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "exitCode": 0,
                     *       "timedOut": false,
                     *       "stdout": " M src/checkout.ts\n",
                     *       "stderr": "",
                     *       "stdoutTruncated": false,
                     *       "stderrTruncated": false,
                     *       "durationMs": 14
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessRunResponse"];
                };
            };
        };
    };
    getProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The process's id */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "proc_1",
                     *       "command": "npm",
                     *       "args": [
                     *         "run",
                     *         "dev"
                     *       ],
                     *       "cwd": "shop",
                     *       "tty": false,
                     *       "interactive": false,
                     *       "owner": "user",
                     *       "status": "running",
                     *       "pid": 4121,
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "createdAtMs": 1773520938250
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessInfo"];
                };
            };
        };
    };
    deleteProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The process's id */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process does not exist any more */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    sendProcessInput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The process's id */
                processId: string;
            };
            cookie?: never;
        };
        /** @description The input */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "yes\n"
                 *     }
                 */
                "application/json": components["schemas"]["ProcessInputRequest"];
            };
        };
        responses: {
            /** @description It was taken */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bytesWritten": 4
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessInputResponse"];
                };
            };
        };
    };
    killProcess: {
        parameters: {
            query?: {
                /** @description Answer after so many milliseconds at the latest; without it when the process has ended */
                waitMs?: number;
            };
            header?: never;
            path: {
                /** @description The process's id */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "proc_1",
                     *       "command": "npm",
                     *       "args": [
                     *         "run",
                     *         "dev"
                     *       ],
                     *       "cwd": "shop",
                     *       "tty": false,
                     *       "interactive": false,
                     *       "owner": "user",
                     *       "status": "running",
                     *       "pid": 4121,
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "createdAtMs": 1773520938250
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessInfo"];
                };
            };
        };
    };
    getProcessLogs: {
        parameters: {
            query?: {
                /** @description The output to read; all of it by default */
                stream?: "stdout" | "stderr" | "combined" | "pty";
                /** @description Start with the last so many entries */
                tail?: number;
                /** @description `text`: entries that are UTF-8 come as text with `encoding: utf8`, others in base64. `base64`, the default: all entries in base64 */
                encoding?: "base64" | "text";
                /** @description Start after the entry of this number; 0 by default, excludes `tail` */
                after?: number;
                /** @description Return at most so many entries; `hasMore` is true if there are newer ones */
                limit?: number;
                /**
                 * @deprecated
                 * @description The same as `after`
                 */
                since?: number;
                /**
                 * @deprecated
                 * @description `true`: answer as `/v1/processes/{processId}/logs/sse` does
                 */
                follow?: boolean;
            };
            header?: {
                /**
                 * @deprecated
                 * @description With `follow`: the same as `after`, and stronger than the query
                 */
                "Last-Event-ID"?: number;
            };
            path: {
                /** @description The process's id */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The output */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "processId": "proc_1",
                     *       "stream": "combined",
                     *       "entries": [
                     *         {
                     *           "sequence": 1,
                     *           "stream": "stdout",
                     *           "timestamp": "2026-03-14T20:42:18.400Z",
                     *           "timestampMs": 1773520938400,
                     *           "data": "cmVhZHkK",
                     *           "encoding": "base64"
                     *         }
                     *       ],
                     *       "hasMore": false
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessLogsResponse"];
                };
            };
        };
    };
    streamProcessLogs: {
        parameters: {
            query?: {
                /** @description The output to read; all of it by default */
                stream?: "stdout" | "stderr" | "combined" | "pty";
                /** @description Start with the last so many entries */
                tail?: number;
                /** @description `text`: entries that are UTF-8 come as text with `encoding: utf8`, others in base64. `base64`, the default: all entries in base64 */
                encoding?: "base64" | "text";
                /** @description Continue after the event of this number, for clients that cannot send headers. `Last-Event-ID` is stronger, so a client that reconnects may keep the URL */
                lastEventId?: number;
                /** @description A ticket from `POST /v1/tickets`, for clients that cannot send headers */
                ticket?: string;
            };
            header?: {
                /** @description Start after the entry of this number */
                "Last-Event-ID"?: number;
            };
            path: {
                /** @description The process's id */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sequence": 1,
                     *       "stream": "stdout",
                     *       "timestamp": "2026-03-14T20:42:18.400Z",
                     *       "timestampMs": 1773520938400,
                     *       "data": "cmVhZHkK",
                     *       "encoding": "base64"
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ProcessLogData"];
                };
            };
        };
    };
    stopProcess: {
        parameters: {
            query?: {
                /** @description Answer after so many milliseconds at the latest; without it when the process has ended */
                waitMs?: number;
                /** @description Milliseconds between SIGTERM and SIGKILL; `stopGraceMs` of the configuration by default */
                graceMs?: number;
            };
            header?: never;
            path: {
                /** @description The process's id */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "proc_1",
                     *       "command": "npm",
                     *       "args": [
                     *         "run",
                     *         "dev"
                     *       ],
                     *       "cwd": "shop",
                     *       "tty": false,
                     *       "interactive": false,
                     *       "owner": "user",
                     *       "status": "running",
                     *       "pid": 4121,
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "createdAtMs": 1773520938250
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessInfo"];
                };
            };
        };
    };
    resizeProcessTerminal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The process's id */
                processId: string;
            };
            cookie?: never;
        };
        /** @description The new size */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cols": 120,
                 *       "rows": 40
                 *     }
                 */
                "application/json": components["schemas"]["ProcessTerminalSize"];
            };
        };
        responses: {
            /** @description It has this size now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cols": 120,
                     *       "rows": 40
                     *     }
                     */
                    "application/json": components["schemas"]["ProcessTerminalSize"];
                };
            };
        };
    };
    attachProcessTerminal: {
        parameters: {
            query?: {
                /** @description Bytes of earlier output to send first; 1048576 by default */
                scrollback?: number;
                /** @description A ticket from `POST /v1/tickets`, for clients that cannot send headers */
                ticket?: string;
            };
            header?: never;
            path: {
                /** @description The process's id */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The WebSocket */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Maximum number of sessions, 100 by default; more than 1000 counts as 1000 */
                limit?: number;
                /** @description The `next` of the page before */
                after?: string;
                /** @description Return sessions in one of these states; repeatable or separated by commas */
                state?: components["schemas"]["SessionState"][];
                /** @description Return sessions of one of these agents; repeatable or separated by commas */
                agent?: string[];
                /** @description Return sessions whose metadata has this member, as `key:value`; repeatable, all must match. Strings, numbers, booleans and `null` are compared as text */
                metadata?: string[];
                /** @description `choices`: also return `choices` of each session */
                include?: "choices"[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "sessionId": "checkout-1",
                     *           "healthy": true,
                     *           "agent": "claude",
                     *           "agentMode": "build",
                     *           "permissionMode": "default",
                     *           "model": "sonnet",
                     *           "cwd": "/workspace/shop",
                     *           "title": "Fix the flaky checkout test",
                     *           "metadata": {
                     *             "ticket": "SHOP-482"
                     *           },
                     *           "createdAt": "2026-03-14T20:42:18.250Z",
                     *           "updatedAt": "2026-03-14T20:42:22.125Z",
                     *           "state": "idle",
                     *           "queued": 0,
                     *           "queue": [],
                     *           "queueHeld": false,
                     *           "questions": [],
                     *           "permissions": [],
                     *           "usage": {
                     *             "inputTokens": 5120,
                     *             "outputTokens": 840,
                     *             "cost": {
                     *               "amount": 0.0284,
                     *               "currency": "USD"
                     *             }
                     *           },
                     *           "choices": {
                     *             "mode": "default",
                     *             "modes": [
                     *               {
                     *                 "id": "default",
                     *                 "name": "Default"
                     *               },
                     *               {
                     *                 "id": "plan",
                     *                 "name": "Plan"
                     *               }
                     *             ],
                     *             "model": "sonnet",
                     *             "models": [
                     *               {
                     *                 "id": "sonnet",
                     *                 "name": "Sonnet"
                     *               }
                     *             ],
                     *             "variants": []
                     *           },
                     *           "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *           "lastEventId": 40,
                     *           "oldestEventId": 1
                     *         }
                     *       ],
                     *       "hasMore": false
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    createNewSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request, so that it can be sent again; 1 to 255 characters */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The agent and its settings */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": "demo",
                 *       "title": "Try the API"
                 *     }
                 */
                "application/json": components["schemas"]["CreateSession"];
            };
        };
        responses: {
            /** @description The session exists: an earlier request with this `Idempotency-Key` created it */
            200: {
                headers: {
                    /** @description The session's path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The session was created; `healthy` says whether its agent has started */
            201: {
                headers: {
                    /** @description The session's path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    importSession: {
        parameters: {
            query?: {
                /** @description The new session's id; the one it had by default */
                sessionId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What `exportSession` answered */
        requestBody: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description The new session */
            201: {
                headers: {
                    /** @description The new session's path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id, chosen by the client: 1 to 128 of `A-Z`, `a-z`, `0-9`, `-_.~:@`, starting with a letter or digit; not `import` */
                sessionId: string;
            };
            cookie?: never;
        };
        /** @description The agent and its settings */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": "claude",
                 *       "permissionMode": "default",
                 *       "model": "sonnet",
                 *       "cwd": "/workspace/shop",
                 *       "title": "Fix the flaky checkout test",
                 *       "metadata": {
                 *         "ticket": "SHOP-482"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateSession"];
            };
        };
        responses: {
            /** @description The session existed and its agent had never started: it has these settings now, and its agent was started again */
            200: {
                headers: {
                    /** @description The session's path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The session was created; `healthy` says whether its agent has started */
            201: {
                headers: {
                    /** @description The session's path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session does not exist any more */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        /** @description The changes */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Fix the checkout test",
                 *       "metadata": {
                 *         "ticket": null,
                 *         "reviewer": "ana"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SessionPatch"];
            };
        };
        responses: {
            /** @description The session as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    cancelTurn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The turn and the messages that are being cancelled */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "turnId": "turn_7",
                     *       "withdrawn": 1
                     *     }
                     */
                    "application/json": components["schemas"]["CancelResult"];
                };
            };
        };
    };
    getEvents: {
        parameters: {
            query?: {
                /** @description Id of the last event that the client knows; 0 by default */
                after?: number;
                /**
                 * @deprecated
                 * @description Old spelling of `after`
                 */
                offset?: number;
                /** @description Maximum number of events, 100 by default; more than 1000 counts as 1000 */
                limit?: number;
                /** @description Types to select, separated by commas or repeated; all by default */
                types?: components["schemas"]["EventType"][];
                /** @description `false` leaves out `messageDelta`; the whole message follows as `message` */
                deltas?: boolean;
            };
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "id": 42,
                     *           "type": "message",
                     *           "timestamp": "2026-03-14T20:42:18.250Z",
                     *           "sessionId": "checkout-1",
                     *           "agent": "claude",
                     *           "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *           "data": {
                     *             "message": {
                     *               "id": "msg_8",
                     *               "role": "assistant",
                     *               "parts": [
                     *                 {
                     *                   "type": "text",
                     *                   "text": "The test compares a local time with a UTC time."
                     *                 }
                     *               ]
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "hasMore": false,
                     *       "next": 42
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Id of the last event that the client knows; 0, which is everything, by default */
                after?: number;
                /** @description The same, for clients that cannot send headers */
                lastEventId?: number;
                /**
                 * @deprecated
                 * @description Old spelling of `after`
                 */
                offset?: number;
                /** @description Types to select, separated by commas or repeated; all by default */
                types?: components["schemas"]["EventType"][];
                /** @description `false` leaves out `messageDelta`; the whole message follows as `message` */
                deltas?: boolean;
                /** @description A ticket from `POST /v1/tickets`, for clients that cannot send headers */
                ticket?: string;
            };
            header?: {
                /** @description The same, whatever the query says */
                "Last-Event-ID"?: number;
            };
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 42,
                     *       "type": "message",
                     *       "timestamp": "2026-03-14T20:42:18.250Z",
                     *       "sessionId": "checkout-1",
                     *       "agent": "claude",
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "data": {
                     *         "message": {
                     *           "id": "msg_8",
                     *           "role": "assistant",
                     *           "parts": [
                     *             {
                     *               "type": "text",
                     *               "text": "The test compares a local time with a UTC time."
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "text/event-stream": components["schemas"]["SessionStreamData"];
                };
            };
        };
    };
    exportSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lines */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    forkSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        /** @description The new session's id and title; without an id the daemon chooses one */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "sessionId": "checkout-2",
                 *       "title": "Try another fix"
                 *     }
                 */
                "application/json": components["schemas"]["ForkSession"];
            };
        };
        responses: {
            /** @description The new session */
            201: {
                headers: {
                    /** @description The new session's path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    getMessages: {
        parameters: {
            query?: {
                /** @description `next` of the page before; the first page by default */
                after?: number;
                /** @description Maximum number of messages, 100 by default; more than 1000 counts as 1000 */
                limit?: number;
                /** @description `asc`, the default, for the oldest message first; `desc` for the newest first */
                order?: components["schemas"]["TranscriptOrder"];
            };
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The messages */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "messages": [
                     *         {
                     *           "id": "msg_8",
                     *           "role": "assistant",
                     *           "parts": [
                     *             {
                     *               "type": "text",
                     *               "text": "The test compares a local time with a UTC time."
                     *             }
                     *           ],
                     *           "eventId": 42,
                     *           "timestamp": "2026-03-14T20:42:18.250Z",
                     *           "turnId": "turn_7",
                     *           "state": "complete"
                     *         }
                     *       ],
                     *       "hasMore": false,
                     *       "eventsAfter": 42
                     *     }
                     */
                    "application/json": components["schemas"]["TranscriptPage"];
                };
            };
        };
    };
    postMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the message, so that it can be sent again without being doubled; 1 to 255 characters */
                "Idempotency-Key"?: string;
                /** @description W3C trace context; the turn's span becomes a child of this one, and the agent gets it */
                traceparent?: string;
            };
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        /** @description The message */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "message": "Why does the checkout test fail on Mondays?"
                 *     }
                 */
                "application/json": components["schemas"]["PostMessage"];
            };
        };
        responses: {
            /** @description It is stored */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "turnId": "turn_7",
                     *       "messageId": "msg_7",
                     *       "eventId": 41,
                     *       "queued": 0
                     *     }
                     */
                    "application/json": components["schemas"]["MessageAccepted"];
                };
            };
        };
    };
    postMessageStream: {
        parameters: {
            query?: {
                /** @description Types to select, separated by commas or repeated; all by default */
                types?: components["schemas"]["EventType"][];
                /** @description `false` leaves out `messageDelta`; the whole message follows as `message` */
                deltas?: boolean;
            };
            header?: {
                /** @description Names the message, so that it can be sent again without being doubled; 1 to 255 characters */
                "Idempotency-Key"?: string;
                /** @description W3C trace context; the turn's span becomes a child of this one, and the agent gets it */
                traceparent?: string;
            };
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        /** @description The message */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "message": "Why does the checkout test fail on Mondays?",
                 *       "delivery": "queue"
                 *     }
                 */
                "application/json": components["schemas"]["PostMessage"];
            };
        };
        responses: {
            /** @description The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 42,
                     *       "type": "message",
                     *       "timestamp": "2026-03-14T20:42:18.250Z",
                     *       "sessionId": "checkout-1",
                     *       "agent": "claude",
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "data": {
                     *         "message": {
                     *           "id": "msg_8",
                     *           "role": "assistant",
                     *           "parts": [
                     *             {
                     *               "type": "text",
                     *               "text": "The test compares a local time with a UTC time."
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "text/event-stream": components["schemas"]["SessionStreamData"];
                };
            };
        };
    };
    withdrawMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
                /** @description The message's id, as `queue` and the events have it */
                messageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message does not wait any more and will not begin */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    replyToPermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
                /** @description The permission's id, as `permissionAsked` and the session have it */
                permissionId: string;
            };
            cookie?: never;
        };
        /** @description The decision */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reply": "once"
                 *     }
                 */
                "application/json": components["schemas"]["PermissionReply"];
            };
        };
        responses: {
            /** @description The agent has the decision */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    rejectQuestion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
                /** @description The question's id, as `questionAsked` and the session have it */
                questionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent was notified */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    replyToQuestion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
                /** @description The question's id, as `questionAsked` and the session have it */
                questionId: string;
            };
            cookie?: never;
        };
        /** @description The answers */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "answers": [
                 *         [
                 *           "Use UTC everywhere"
                 *         ]
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["QuestionReply"];
            };
        };
        responses: {
            /** @description The agent has the answers */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    reorderQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        /** @description The order */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "messageIds": [
                 *         "msg_2",
                 *         "msg_1"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["QueueOrder"];
            };
        };
        responses: {
            /** @description The session with its new `queue` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    resumeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    terminateSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "checkout-1",
                     *       "healthy": true,
                     *       "agent": "claude",
                     *       "agentMode": "build",
                     *       "permissionMode": "default",
                     *       "model": "sonnet",
                     *       "cwd": "/workspace/shop",
                     *       "title": "Fix the flaky checkout test",
                     *       "metadata": {
                     *         "ticket": "SHOP-482"
                     *       },
                     *       "createdAt": "2026-03-14T20:42:18.250Z",
                     *       "updatedAt": "2026-03-14T20:42:22.125Z",
                     *       "state": "idle",
                     *       "queued": 0,
                     *       "queue": [],
                     *       "queueHeld": false,
                     *       "questions": [],
                     *       "permissions": [],
                     *       "usage": {
                     *         "inputTokens": 5120,
                     *         "outputTokens": 840,
                     *         "cost": {
                     *           "amount": 0.0284,
                     *           "currency": "USD"
                     *         }
                     *       },
                     *       "choices": {
                     *         "mode": "default",
                     *         "modes": [
                     *           {
                     *             "id": "default",
                     *             "name": "Default"
                     *           },
                     *           {
                     *             "id": "plan",
                     *             "name": "Plan"
                     *           }
                     *         ],
                     *         "model": "sonnet",
                     *         "models": [
                     *           {
                     *             "id": "sonnet",
                     *             "name": "Sonnet"
                     *           }
                     *         ],
                     *         "variants": []
                     *       },
                     *       "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e",
                     *       "lastEventId": 40,
                     *       "oldestEventId": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    issueTicket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The stream to open; any, once, by default */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "path": "/v1/sessions/checkout-1/events/sse"
                 *     }
                 */
                "application/json": components["schemas"]["TicketRequest"];
            };
        };
        responses: {
            /** @description The ticket */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ticket": "k7f3Qm2v9Zx1",
                     *       "path": "/v1/sessions/checkout-1/events/sse",
                     *       "expiresAt": "2026-03-14T21:42:18.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Ticket"];
                };
            };
        };
    };
    revokeTicket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ticket */
                ticket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ticket does not exist any more */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Start of the period, inclusive, as an RFC 3339 time; from the first turn by default */
                from?: components["schemas"]["Timestamp"];
                /** @description End of the period, exclusive, as an RFC 3339 time; until now by default */
                to?: components["schemas"]["Timestamp"];
                /** @description Properties that the turns of a group share; repeatable or separated by commas, `day` by default */
                groupBy?: components["schemas"]["UsageGrouping"][];
                /** @description Count turns of one of these sessions; repeatable or separated by commas */
                sessionId?: string[];
                /** @description Count turns of one of these agents; repeatable or separated by commas */
                agent?: string[];
                /** @description Count turns with one of these models; repeatable or separated by commas */
                model?: string[];
                /** @description Maximum number of groups, 100 by default; more than 1000 counts as 1000 */
                limit?: number;
                /** @description The `next` of the page before */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tokens and cost */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "groups": [
                     *         {
                     *           "day": "2026-03-14",
                     *           "agent": "claude",
                     *           "usage": {
                     *             "turns": 12,
                     *             "inputTokens": 4210,
                     *             "outputTokens": 9120,
                     *             "cachedReadTokens": 182000,
                     *             "cachedWriteTokens": 24100,
                     *             "totalTokens": 219430,
                     *             "costs": [
                     *               {
                     *                 "amount": 0.8412,
                     *                 "currency": "USD"
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "total": {
                     *         "turns": 12,
                     *         "inputTokens": 4210,
                     *         "outputTokens": 9120,
                     *         "cachedReadTokens": 182000,
                     *         "cachedWriteTokens": 24100,
                     *         "totalTokens": 219430,
                     *         "costs": [
                     *           {
                     *             "amount": 0.8412,
                     *             "currency": "USD"
                     *           }
                     *         ]
                     *       },
                     *       "hasMore": false,
                     *       "from": "2026-03-14T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
        };
    };
}
