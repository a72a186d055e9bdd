import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A Chromium on the PATH, or undefined. */
export const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
);

/** The layout of a page, in CSS pixels: 96 to an inch. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Pixels of a picture per CSS pixel. */
  readonly scale: number;
  readonly media: 'screen' | 'print';
  /** Whether the page should use its dark colours. */
  readonly dark?: boolean;
}

type Result = Readonly<Record<string, unknown>>;

/** A Chromium with one page, controlled over its debugging protocol. */
export class Browser {
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>();
  readonly #events = new Map<string, () => void>();
  /** Every address that the page has requested, whether it came or not. */
  readonly requested: string[] = [];
  /** Its complaints, such as a breach of the page's policy. */
  readonly complaints: string[] = [];
  #next = 1;

  private constructor(
    private readonly child: ChildProcess,
    private readonly socket: WebSocket,
    private readonly profile: string,
  ) {
    socket.addEventListener('message', ({ data }) => this.#received(String(data)));
  }

  static async start(): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), 'holdfast-browser-'));
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--disable-dev-shm-usage'];
    const args = [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
    const child = spawn(CHROMIUM ?? 'chromium', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const address = await addressOf(child);
    const pages = (await (await fetch(`http://${address}/json/list`)).json()) as { webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(pages[0]?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', () => reject(new Error('the browser does not answer')), { once: true });
    });
    const browser = new Browser(child, socket, profile);
    await browser.#tell('Page.enable');
    await browser.#tell('Network.enable');
    await browser.#tell('Log.enable');
    return browser;
  }

  /** Opens a page and waits until it and all its frames are loaded. */
  async open(url: string, { width, height, scale, media, dark = false }: Layout): Promise<void> {
    await this.#tell('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false });
    const scheme = { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' };
    await this.#tell('Emulation.setEmulatedMedia', { media, features: [scheme] });
    const loaded = new Promise<void>((resolve) => this.#events.set('Page.loadEventFired', resolve));
    const { errorText } = await this.#tell('Page.navigate', { url });
    if (errorText !== undefined) throw new Error(`${url}: ${JSON.stringify(errorText)}`);
    await loaded;
  }

  /** The value of an expression in the page; a promise is awaited. */
  async ask<T>(expression: string): Promise<T> {
    const { result } = await this.#tell('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    return (result as { readonly value: T }).value;
  }

  /** The whole page as PNG, including the part below the window. */
  async picture(): Promise<Buffer> {
    const { data } = await this.#tell('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
    return Buffer.from(String(data), 'base64');
  }

  /** The page on paper of this size, in inches. */
  async paper(paperWidth: number, paperHeight: number): Promise<Buffer> {
    const { data } = await this.#tell('Page.printToPDF', { paperWidth, paperHeight, preferCSSPageSize: true });
    return Buffer.from(String(data), 'base64');
  }

  async close(): Promise<void> {
    this.socket.close();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await exit;
    }
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  #tell(method: string, params: object = {}): Promise<Result> {
    const id = this.#next++;
    const answer = Promise.withResolvers<Result>();
    this.#waiting.set(id, answer);
    this.socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  #received(text: string): void {
    const message = JSON.parse(text) as {
      id?: number;
      method?: string;
      params?: { request?: { url: string }; entry?: { level: string; text: string } };
      result?: Result;
      error?: object;
    };
    if (message.method === 'Network.requestWillBeSent') this.requested.push(message.params?.request?.url ?? '');
    const entry = message.params?.entry;
    if (message.method === 'Log.entryAdded' && entry?.level === 'error') this.complaints.push(entry.text);
    if (message.method !== undefined) this.#events.get(message.method)?.();
    if (message.id === undefined) return;
    const answer = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) answer?.resolve(message.result ?? {});
    else answer?.reject(new Error(JSON.stringify(message.error)));
  }
}

/** The address on which a browser listens, from its standard error. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('a browser without standard error');
  let output = '';
  for await (const line of createInterface(stderr)) {
    const address = /^DevTools listening on ws:\/\/([^/]+)/.exec(line)?.[1];
    if (address !== undefined) {
      stderr.resume();
      return address;
    }
    output += `${line}\n`;
  }
  throw new Error(`the browser did not start: ${output}`);
}
