// The page in a real browser against the real daemon.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { startChromium } from "@sandbox-agent/testkit/chromium";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { SandboxAgent } from "sandbox-agent";
import { Front } from "./front.ts";

const APP: string = fileURLToPath(new URL("..", import.meta.url));
const CSP = readFileSync(join(APP, "content-security-policy.txt"), "utf8").trim();

let built: string | undefined;

/** Builds the page once for each file of tests, in a folder of its own: files run at the same time. */
function build(): string {
  if (built !== undefined) return built;
  const folder = mkdtempSync(join(tmpdir(), "sa-inspector-"));
  const vite = join(APP, "../../node_modules/vite/bin/vite.js");
  execFileSync(
    process.execPath,
    [vite, "build", "--logLevel", "error", "--mode", "test", "--outDir", folder, "--emptyOutDir"],
    {
      cwd: APP,
      stdio: "inherit",
      // Otherwise vitest's own value would bring the development build of React.
      env: { ...process.env, NODE_ENV: "production" },
    },
  );
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  built = folder;
  return folder;
}

export class Harness implements AsyncDisposable {
  readonly daemon: Daemon;
  readonly front: Front;
  readonly browser: Browser;
  readonly client: SandboxAgent;
  /** Unexpected reports of pages: exceptions, and resources that the policy blocked. */
  readonly complaints: string[] = [];

  private constructor(daemon: Daemon, front: Front, browser: Browser, client: SandboxAgent) {
    this.daemon = daemon;
    this.front = front;
    this.browser = browser;
    this.client = client;
  }

  static async start(options: Parameters<typeof startDaemon>[0] = {}): Promise<Harness> {
    return Harness.before(await startDaemon(options));
  }

  /** Opens the page before a daemon that runs, below a path prefix if there is one, and takes the daemon over. */
  static async before(daemon: Daemon, prefix = ""): Promise<Harness> {
    const dist = build();
    const browser = await startChromium();
    const front = await Front.start({ dist, policy: CSP, daemon: () => daemon.baseUrl, prefix });
    return new Harness(daemon, front, browser, await SandboxAgent.connect(daemon.connection));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.front.stop();
    await this.daemon.stop();
  }

  /** Opens a context of its own: no storage is shared. */
  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(30_000);
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
    await page.goto(`${this.front.baseUrl}/ui/#token=${this.daemon.token}`);
    await page.getByRole("navigation").waitFor();
    if (route !== "") await page.evaluate((hash) => location.assign(hash), route);
    return page;
  }

  /** Creates a session and opens it. */
  async session(
    options: Partial<Parameters<SandboxAgent["sessions"]["create"]>[0]> = {},
    page?: Page,
  ): Promise<SessionPage> {
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

  /** Sends messages while a turn runs. Each waits for the one before: requests of a browser may overtake each other. */
  async queue(...texts: string[]): Promise<void> {
    const queue = this.page.getByRole("region", { name: "Queue" });
    for (const [index, text] of texts.entries()) {
      await this.send(text);
      await queue.getByText(index === 0 ? "1 message queued" : `${index + 1} messages queued`).waitFor();
    }
  }

  async waitForState(state: string): Promise<void> {
    await this.page.locator(`.session-state[data-state=${state}]`).waitFor();
  }
}
