// The base of the packages' tests: the real daemon, started in a home of its own.

export { binary, Daemon, type DaemonOptions, startDaemon } from "./daemon.ts";
export { freePort } from "./free-port.ts";
export { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
