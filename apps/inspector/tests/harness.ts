// The page in a real browser against the real daemon: `/ui/` comes from the build, everything else from the daemon.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { startChromium } from "@sandbox-agent/testkit/chromium";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { SandboxAgent } from "sandbox-agent";

export const APP: string = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(APP, "dist");
const CSP = readFileSync(join(APP, "content-security-policy.txt"), "utf8").trim();

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Builds the page once for each run of the tests. */
export function build(): void {
  if (process.env["INSPECTOR_DIST"] === "keep" && existsSync(join(DIST, "index.html"))) return;
  execFileSync("npx", ["vite", "build", "--logLevel", "error"], { cwd: APP, stdio: "inherit" });
}

export class Harness implements AsyncDisposable {
  readonly daemon: Daemon;
  readonly browser: Browser;
  readonly client: SandboxAgent;
  /** What pages reported that nobody expected: exceptions, and resources that the policy blocked. */
  readonly complaints: string[] = [];

  private constructor(daemon: Daemon, browser: Browser, client: SandboxAgent) {
    this.daemon = daemon;
    this.browser = browser;
    this.client = client;
  }

  static async start(options: Parameters<typeof startDaemon>[0] = {}): Promise<Harness> {
    build();
    const [daemon, browser] = await Promise.all([startDaemon(options), startChromium()]);
    return new Harness(daemon, browser, await SandboxAgent.connect(daemon.connection));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.daemon.stop();
  }

  /** Opens a context of its own: no storage is shared. */
  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(15_000);
    await context.route(`${this.daemon.baseUrl}/ui/**`, (route) => {
      const path = new URL(route.request().url()).pathname.replace(/^\/ui\//, "");
      const file = join(DIST, path === "" ? "index.html" : path);
      if (!existsSync(file)) return route.fulfill({ status: 404 });
      const headers = { "Content-Security-Policy": CSP, "Content-Type": TYPES[extname(file)] ?? "" };
      return route.fulfill({ status: 200, headers, body: readFileSync(file) });
    });
    return context;
  }

  /** Opens the page as the daemon prints its address, or at a route. */
  async open(route = "", options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.context(options);
    const page = await context.newPage();
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) this.complaints.push(message.text());
    });
    await page.goto(`${this.daemon.baseUrl}/ui/#token=${this.daemon.token}`);
    await page.getByRole("navigation").waitFor();
    if (route !== "") await page.evaluate((hash) => location.assign(hash), route);
    return page;
  }

  /** Creates a session and opens it. */
  async session(options: Partial<Parameters<SandboxAgent["sessions"]["create"]>[0]> = {}, page?: Page): Promise<SessionPage> {
    const session = await this.client.sessions.create({ agent: "demo", ...options });
    const own = page ?? (await this.open());
    await own.evaluate((hash) => location.assign(hash), `#/sessions/${session.id}`);
    await own.getByLabel("Message", { exact: true }).waitFor();
    return new SessionPage(own, session.id);
  }
}

/** The session screen, by what a reader sees. */
export class SessionPage {
  readonly page: Page;
  readonly id: string;

  constructor(page: Page, id: string) {
    this.page = page;
    this.id = id;
  }

  get input(): Locator {
    return this.page.getByLabel("Message", { exact: true });
  }

  get transcript(): Locator {
    return this.page.getByRole("log");
  }

  async send(text: string): Promise<void> {
    await this.input.fill(text);
    await this.input.press("Enter");
  }

  async waitForState(state: string): Promise<void> {
    await this.page.locator(`.session-state[data-state=${state}]`).waitFor();
  }
}
