import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { inFull } from '../support/alone.js';
import { answerAs, ConsolePage, startChromium } from '../support/console-page.js';
import { pagesOf } from '../support/console-pages.js';
import { describeInBrowser } from '../support/in-browser.js';
import { RunningService, type Json, type TestPartner } from '../support/running-service.js';

/** The name and value of a fact on a page. */
const fact = (name: string): string => `dl.facts div:has(dt:text-is("${name}")) dd`;

/** Lists are one page, for which that of purchases stands. */
const ALIKE: readonly string[] = [
  ...['/deals', '/reservations', '/coupons', '/card-links', '/regions', '/users'],
  ...['/cards', '/subscriptions', '/saved-deals', '/batches', '/access-tokens'],
];

describeInBrowser('the console', () => {
  let service: RunningService;
  let browser: Browser;
  let acme: TestPartner;
  let user: string;
  let bought: Json;
  let opened: ConsolePage[] = [];

  beforeAll(async () => {
    service = await RunningService.start();
    browser = await startChromium();
    acme = await service.newPartner('acme');
    await service.newDeal('tram', { title: 'Tram 28 for Two', stock: 20 });
    await service.newDeal('opera', { title: 'Sunday Opera', stock: 2000 });
    user = await service.newUser(acme.key, 'grace@example.com', { first_name: 'Grace', last_name: 'Hopper' });
    for (const deal of ['tram', 'tram', 'opera']) {
      const held = await service.ask('POST', `/purchases/reserve?deal_id=${deal}&num_bought=2`, { key: acme.key });
      const { id } = held.body.purchase;
      bought = (await service.ask('PUT', `/purchases/${id}/claim?user_id=${user}`, { key: acme.key })).body.purchase;
    }
  });
  afterAll(async () => {
    await browser.close();
    await service.discard();
  });
  afterEach(async () => {
    const complaints = opened.flatMap((each) => each.complaints);
    const elsewhere = opened
      .flatMap((each) => each.requested)
      .filter((url) => !/^(data:|http:\/\/127\.0\.0\.1:)/.test(url));
    for (const each of opened) await each.close();
    opened = [];
    expect([complaints, elsewhere]).toEqual([[], []]);
  });

  const pages = (): readonly string[] => pagesOf({ purchase: bought, deal: 'tram', user, partner: acme.id });
  const open = async (role: 'operator' | 'auditor' = 'operator', look: object = {}): Promise<ConsolePage> => {
    const console = await ConsolePage.open(browser, service, look);
    opened.push(console);
    await console.signIn(role === 'operator' ? service.operatorToken : service.auditorToken);
    return console;
  };

  it('G13, G5: by the keyboard: why was this coupon cancelled?', async () => {
    const [{ id, barcode }] = bought.coupons;
    await service.operate('POST', `/coupons/${id}/cancel`, { reason: 'the opera burned down' });
    const console = await open('auditor');
    await console.search(barcode.replace(/(\d{4})/g, '$1 ').trim());
    await console.shows(/cancelled/);
    const happened = console.page.getByRole('region', { name: 'What happened' });
    await happened.getByText(/was cancelled: the opera burned down/).waitFor();
    await happened.getByText('operator:operator').waitFor();
    // Its cause leads to the event of the sale.
    await console.press('link', /^inventory-opera@\d+$/);
    await console.shows('inventory-opera');
    expect(console.page.url()).not.toContain(barcode);
  });

  it('G13, G6, G6.1: by the keyboard: build a view again, compare it, promote it, and go back', async () => {
    const console = await open();
    await console.press('link', 'Projections');
    await console.shows('Projections');
    await console.press('link', /^regions$/);
    await console.shows(/^regions/);
    await console.press('button', 'Build again');
    const dialog = console.page.getByRole('dialog', { name: 'Build again' });
    await dialog.getByText('holdfast projections rebuild regions --detach').waitFor();
    await console.confirm();
    const second = console.page.getByRole('region', { name: 'Generation 2' });
    await second.getByText('ready', { exact: true }).waitFor();
    await console.press('button', 'Compare');
    await console.confirm();
    const comparison = console.page.getByRole('dialog', { name: 'Compare' });
    await comparison.getByText('Both have the same rows.').waitFor();
    await console.press('button', 'Close');
    await console.press('button', 'Promote');
    await console.confirm();
    await second.getByText('live', { exact: true }).waitFor();
    await console.press('button', 'Go back to it');
    await console.confirm();
    await console.page.getByRole('region', { name: 'Generation 1' }).getByText('live', { exact: true }).waitFor();
    const { generations } = await service.operate('GET', '/projections/regions/generations');
    expect(generations.find(({ state }: Json) => state === 'live').number).toBe(1);
  });

  it('G13, G4: by the keyboard: which deal sells out next?', async () => {
    const console = await open('auditor');
    const table = console.page.getByRole('table', { name: /Deals that sell/ });
    await table.waitFor();
    const rows = table.getByRole('row');
    await rows.nth(1).getByRole('link', { name: 'Tram 28 for Two' }).waitFor();
    await console.press('link', 'Tram 28 for Two');
    await console.shows(/Tram 28 for Two/);
    expect(await console.page.locator('dl.figures').innerText()).toMatch(/Left\s+16\s+Sold\s+4/);
    await console.page.getByRole('img', { name: /^Stock, held and sold units.*sold 4/ }).waitFor();
  });

  it('G13, I10, I8: by the keyboard: suspend a partner and give it a new key', async () => {
    const console = await open();
    await console.search('acme');
    await console.shows(/acme/);
    await console.press('button', 'Suspend');
    await console.page.getByText(`holdfast partners suspend ${acme.id}`).waitFor();
    await console.confirm();
    await console.page.getByRole('heading', { level: 1 }).getByText('suspended').waitFor();
    expect((await service.ask('GET', '/deals?region=testland', { key: acme.key })).status).toBe(403);

    await console.press('button', 'New key');
    await console.page.keyboard.type('till');
    await console.page.keyboard.press('Enter');
    const secret = console.page.getByRole('dialog').locator('.secret code');
    await secret.waitFor();
    const key = await secret.innerText();
    await console.press('button', 'Close');
    await console.press('button', 'End the suspension');
    await console.confirm();
    await console.page.getByRole('heading', { level: 1 }).getByText('active').waitFor();
    expect((await service.ask('GET', '/deals?region=testland', { key })).status).toBe(200);
    // Nothing of it stands in an address, and the key is gone with the dialogue.
    expect(console.requested.join()).not.toContain(key);
    expect(await console.page.content()).not.toContain(key);
  });

  it('G13, G7.1: by the keyboard: what did we answer about this user last Tuesday?', async () => {
    const { now } = await service.operate('GET', '/clock');
    await service.forward(3 * 86_400);
    const path = `/users/${user}`;
    const body = { email: 'grace.murray@example.com', first_name: 'Grace', last_name: 'Murray' };
    expect((await service.ask('PUT', path, { key: acme.key, body })).status).toBe(200);
    const console = await open('auditor');
    await console.search('grace.murray@example.com');
    await console.shows('Grace Murray');
    expect(console.page.url()).not.toContain('grace');
    await console.tabTo('time', 'At');
    const then = new Date(Date.parse(now) + 1_000);
    await console.typeTime(then);
    await console.press('button', 'Show the answer');
    const answer = console.page.getByRole('region', { name: 'What we answered then' }).locator('pre');
    await answer.waitFor();
    expect(await answer.innerText()).toContain('Hopper');
    expect(await answer.innerText()).not.toContain('Murray');
  });

  it('G13, G1: an auditor is offered nothing that they may not do', async () => {
    const console = await open('auditor');
    for (const path of [
      '',
      '/deals/tram',
      `/purchases/${bought.id}`,
      '/partners',
      `/partners/${acme.id}`,
      '/tokens',
      '/projections/deals',
      '/imports',
      `/users/${user}`,
    ]) {
      await console.go(path);
      await console.page.getByRole('heading', { level: 1 }).waitFor();
      await console.page.waitForLoadState('networkidle').catch(() => undefined);
      const names = await console.page.locator('main button').allInnerTexts();
      expect([
        path,
        names.filter((name) => !/^(Show the answer|Make it here|More|No filters|Copy|Try again)$/.test(name)),
      ]).toEqual([path, []]);
    }
  });

  it('G13: `/` searches from everywhere, Escape closes a dialogue, and the focus comes back', async () => {
    const console = await open();
    const { page } = console;
    await console.press('link', 'Deals');
    await console.shows('Deals');
    await page.keyboard.press('/');
    expect(await console.isFocused(page.getByLabel('Search for anything'))).toBe(true);
    await page.keyboard.type('no such thing');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing has this name.').waitFor();
    expect(page.url()).toBe(`${service.url}/console/found`);
    await console.go('/deals/tram');
    await console.press('button', 'Pause');
    await page.getByRole('dialog', { name: 'Pause' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await console.isFocused(page.getByRole('button', { name: 'Pause' }))).toBe(true);
    await page.keyboard.press('/');
    expect(await console.isFocused(page.getByLabel('Search for anything'))).toBe(true);
  });

  it('G13: filters are kept in the address, but never a person’s data', async () => {
    const console = await open();
    await console.go('/purchases');
    await console.page.getByRole('table', { name: 'Purchases' }).waitFor();
    await console.page.getByLabel('State').selectOption('fulfilled');
    await console.page.getByLabel('Last four of the card').fill('4242');
    await console.page.getByText('Nothing fits these filters.').waitFor();
    expect(console.page.url()).toBe(`${service.url}/console/purchases?state=fulfilled`);
    await console.page.getByLabel('Last four of the card').fill('');
    await console.page.getByRole('table', { name: 'Purchases' }).waitFor();
    await console.page.reload();
    expect(await console.page.getByLabel('State').inputValue()).toBe('fulfilled');
  });

  it('G13.2: a session that ends leads to the sign-in, and storage never has a token', async () => {
    const { token, id } = await service.operate('POST', '/tokens', { name: 'ada', role: 'operator' });
    const console = await ConsolePage.open(browser, service);
    opened.push(console);
    await console.signIn(token);
    const stored = await console.page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage, document.cookie])',
    );
    expect(stored).toBe('[{},{},""]');
    await service.operate('DELETE', `/tokens/${id}`);
    // The page asks for something every few seconds.
    await console.page.getByText('Your session has ended. Sign in again.').waitFor();
  });

  const looks: readonly [width: number, dark: boolean][] = [
    [390, false],
    [1920, true],
    ...inFull<[number, boolean]>([390, true], [1280, false], [1280, true], [1920, false]),
  ];
  it.each(looks)('G13: every page is accessible, %i pixels wide, dark: %s', async (width, dark) => {
    const console = await ConsolePage.open(browser, service, { width, dark });
    opened.push(console);
    const found: string[] = [];
    const check = async (what: string): Promise<void> => {
      found.push(...(await console.violations()).map((violation) => `${what}: ${violation}`));
      const wider = await console.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (wider > 0) found.push(`${what}: it is ${wider} pixels wider than the window`);
    };
    await console.page.getByLabel('Token of an operator or auditor').fill('wrong');
    await console.page.keyboard.press('Enter');
    await console.page.getByRole('alert').waitFor();
    await check('a wrong token');
    await console.page.getByLabel('Token of an operator or auditor').fill('');
    await console.signIn(service.operatorToken);
    await console.page.getByRole('img', { name: /^Sales/ }).waitFor();
    await check('now');
    for (const path of [...pages(), '/deals?title=nothing', '/deals/none', '/streams/none-x', '/no/such']) {
      await console.go(path);
      await console.page.getByRole('heading', { level: 1 }).or(console.page.getByRole('alert')).first().waitFor();
      await console.page.waitForTimeout(150);
      await check(path);
    }
    await console.go('/deals/tram');
    await console.page.getByRole('button', { name: 'Cancel' }).first().click();
    await check('a dialogue');
    expect(found).toEqual([]);
  });

  type State = readonly [state: 'loading' | 'empty' | 'wrong', width: number, dark: boolean];
  const states: readonly State[] = [
    ['loading', 1280, false],
    ['empty', 390, false],
    ['wrong', 390, true],
    ...inFull<State>(['loading', 390, true], ['empty', 1280, true], ['wrong', 1280, false]),
  ];
  it.each(states)(
    'G13: every page is accessible while it is %s, %i pixels wide, dark: %s',
    async (state, width, dark) => {
      const console = await ConsolePage.open(browser, service, { width, dark });
      opened.push(console);
      await console.signIn(service.operatorToken);
      await answerAs(console.page, state);
      const found: string[] = [];
      for (const path of pages().filter((each) => !ALIKE.includes(each))) {
        await console.go(path);
        const main = console.page.locator('main');
        await main.getByRole('heading').or(main.getByRole('alert')).or(main.getByText('Loading …')).first().waitFor();
        await console.page.waitForTimeout(100);
        found.push(...(await console.violations()).map((violation) => `${path}: ${violation}`));
      }
      await console.page.unrouteAll({ behavior: 'ignoreErrors' });
      expect(found).toEqual([]);
    },
  );

  it('G4, G13: a file is tried, its faults are shown by line, and then it is imported', async () => {
    const lines = [
      '{"kind":"region","slug":"dropped","name":"Dropped","time_zone":"Europe/Lisbon"}',
      '{"kind":"deal"}',
    ];
    const buffer = Buffer.from(lines.join('\n'));
    const console = await open();
    await console.press('link', 'Imports');
    await console.shows('Imports');
    const { page } = console;
    await page
      .getByLabel(/Drop a file here/)
      .setInputFiles({ name: 'my deals.ndjson', mimeType: 'text/plain', buffer });
    const trial = page.getByRole('region', { name: 'Dry run' });
    await trial.getByText('1 line would be refused.').waitFor();
    await trial.getByText("holdfast import run --file 'my deals.ndjson'").waitFor();
    const fault = trial.getByRole('table').getByRole('row').nth(1);
    expect(await fault.getByRole('cell').first().innerText()).toBe('2');
    expect((await service.operate('GET', '/regions')).regions.some(({ id }: Json) => id === 'dropped')).toBe(false);
    await console.press('button', 'Import the other 1 line');
    await page.getByText(/2 lines: 1 changed something, 0 changed nothing, 1 refused/).waitFor();
    expect((await service.operate('GET', '/regions')).regions.some(({ id }: Json) => id === 'dropped')).toBe(true);
  });

  it('G13.6: the settings show where each comes from, and no secret', async () => {
    const console = await open('auditor');
    await console.press('link', 'Settings');
    await console.shows('Settings');
    const row = console.page.getByRole('row').filter({ has: console.page.getByText('DATA_DIR', { exact: true }) });
    await row.getByText('set, and not shown').waitFor();
    expect(await console.page.content()).not.toContain(service.dataDir);
    await console.page.getByLabel('Name or meaning').fill('gateway_time');
    expect(await console.page.getByRole('table', { name: 'Settings' }).getByRole('row').count()).toBe(2);
  });

  it('G13: facts of a purchase lead to its deal, user and partner', async () => {
    const console = await open();
    await console.go(`/purchases/${bought.id}`);
    await console.page.locator(fact('Deal')).getByRole('link').click();
    await console.shows(/Sunday Opera/);
  });
});
