import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { CHROMIUM } from './browser.js';
import type { RunningService } from './running-service.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.0 to 2.2, levels A and AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Where a program of the PATH is. */
function pathOf(program: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? program;
}

/** Starts the Chromium of this machine. */
export function startChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath: pathOf(CHROMIUM ?? 'chromium'), args });
}

/** The console in a browser: what somebody does there, and what went wrong. */
export class ConsolePage {
  /** Breaches of the page’s policy, errors of its script, and what it said to the developer. */
  readonly complaints: string[] = [];
  /** Every address that the page has asked for. */
  readonly requested: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
    private readonly url: string,
  ) {
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (said) => {
      // A refusal that the page shows is no fault of the page.
      const isRefusal = said.text().startsWith('Failed to load resource');
      if (said.type() === 'error' && !isRefusal) this.complaints.push(said.text());
    });
    page.on('request', (request) => this.requested.push(request.url()));
  }

  /** Opens the console. It is not signed in. */
  static async open(
    browser: Browser,
    service: RunningService,
    { dark = false, width = 1280 }: { readonly dark?: boolean; readonly width?: number } = {},
  ): Promise<ConsolePage> {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
    });
    const opened = new ConsolePage(await context.newPage(), context, service.url);
    await opened.go('');
    return opened;
  }

  /** Signs in by the keyboard alone. */
  async signIn(token: string): Promise<void> {
    const { page } = this;
    await page.getByLabel('Token of an operator or auditor').waitFor();
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  }

  /** Opens a page of the console by its address. */
  async go(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console${path}`);
  }

  /** Searches by the keyboard: `/`, the text, Enter. */
  async search(text: string): Promise<void> {
    await this.page.keyboard.press('/');
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** Moves the focus with Tab until it is on what has this role and name, and presses Enter there. */
  async tabTo(role: 'link' | 'button' | 'textbox' | 'time', name: string | RegExp, most = 150): Promise<void> {
    // A field for a time has no role of its own.
    const target = (
      role === 'time' ? this.page.getByLabel(name, { exact: true }) : this.page.getByRole(role, { name })
    ).first();
    await target.waitFor();
    for (let presses = 0; presses < most; presses += 1) {
      if (await this.isFocused(target)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`${most} times Tab do not reach the ${role} ${String(name)}`);
  }

  /** Types a time into the field that has the focus, part by part as people do: in the zone and order of the browser. */
  async typeTime(at: Date): Promise<void> {
    const two = (of: number): string => String(of).padStart(2, '0');
    const [day, hours] = [`${two(at.getMonth() + 1)}${two(at.getDate())}`, at.getHours()];
    await this.page.keyboard.type(`${day}${at.getFullYear()}`);
    await this.page.keyboard.press('Tab');
    const time = `${two(hours % 12 === 0 ? 12 : hours % 12)}${two(at.getMinutes())}${two(at.getSeconds())}`;
    await this.page.keyboard.type(`${time}${hours < 12 ? 'AM' : 'PM'}`);
  }

  /** Whether the keyboard is on this element. */
  isFocused(element: Locator): Promise<boolean> {
    return element.evaluate((node) => {
      const { ownerDocument } = node as unknown as { readonly ownerDocument: { readonly activeElement: unknown } };
      return ownerDocument.activeElement === node;
    });
  }

  /** The same as `tabTo`, and then Enter. */
  async press(role: 'link' | 'button', name: string | RegExp): Promise<void> {
    await this.tabTo(role, name);
    await this.page.keyboard.press('Enter');
  }

  /** Does what the open dialogue asks about: it begins at “Cancel”, beside its own button. */
  async confirm(): Promise<void> {
    const dialog = this.page.getByRole('dialog');
    await dialog.waitFor();
    if (!(await this.isFocused(dialog.getByRole('button', { name: 'Cancel' })))) throw new Error('it begins elsewhere');
    await this.page.keyboard.press('Tab');
    await this.page.keyboard.press('Enter');
  }

  /** Waits until the page shows this heading. */
  async shows(heading: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }

  /** Violations of WCAG on the page as it is. */
  async violations(): Promise<readonly string[]> {
    const { page } = this;
    // The policy of the page lets no text become a script: the debugger may run one all the same.
    await page.evaluate(AXE);
    return page.evaluate(async (rules) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
        };
      };
      const { violations } = await axe.run({ runOnly: rules, resultTypes: ['violations'] });
      return violations.map(({ id, nodes }) => `${id} x${nodes.length}: ${nodes[0]?.html ?? ''}`);
    }, RULES);
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

/**
 * Makes the calls of a page answer as they do in a state: `loading` is no answer, `empty` is one without rows, `wrong` is a refusal
 * of the service.
 */
export async function answerAs(page: Page, state: 'loading' | 'empty' | 'wrong'): Promise<void> {
  await page.route(/\/(operators|auditors)\//, async (route) => {
    if (state === 'loading') return;
    if (state === 'wrong') {
      const refusal = { status: 'error', error_type: 'unavailable', error_msg: 'the views do not answer now' };
      return route.fulfill({ status: 503, json: refusal, headers: { 'request-id': 'made-up' } });
    }
    // The browser says who calls; this program must say it itself.
    const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' };
    const response = await route.fetch({ headers });
    const answer: unknown = await response.json().catch(() => undefined);
    if (typeof answer !== 'object' || answer === null) return route.fulfill({ response });
    const without = Object.entries(answer).map(([name, value]) => [name, Array.isArray(value) ? [] : value]);
    return route.fulfill({
      response,
      json: { ...Object.fromEntries(without), ...('next' in answer && { next: null }) },
    });
  });
}
