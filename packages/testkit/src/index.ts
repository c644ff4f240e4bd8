// What the packages' tests share: the real daemon, started in a home of its own.

export { binary, Daemon, type DaemonOptions, startDaemon } from "./daemon.ts";
