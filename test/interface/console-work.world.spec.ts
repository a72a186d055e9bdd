import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { MINUTE, SECOND } from '#kernel';
import { storeCard } from '../support/cards.js';
import { ConsolePage, startChromium } from '../support/console-page.js';
import { describeInBrowser } from '../support/in-browser.js';
import { RunningSandbox } from '../support/running-sandbox.js';
import { RunningService, type Json } from '../support/running-service.js';

describeInBrowser('the console’s page of open work', () => {
  let gateway: RunningSandbox;
  let service: RunningService;
  let browser: Browser;
  let console: ConsolePage;

  const openRefunds = async (): Promise<Json[]> => (await service.operate('GET', '/work/open-refunds')).work;

  beforeAll(async () => {
    gateway = await RunningSandbox.start();
    service = await RunningService.start({
      env: { SANDBOX_GATEWAY_URL: gateway.url, GATEWAY_TIMEOUT: '1000' },
    });
    browser = await startChromium();
  });
  afterAll(async () => {
    await console.close();
    await browser.close();
    await service.discard();
    await gateway.stop();
  });

  it('G13, G6.2: by the keyboard: find why a refund is stuck, and free it', async () => {
    const { key } = await service.newPartner('acme');
    const user_id = await service.newUser(key, 'ann@example.org');
    const credit_card_id = await storeCard(service, key, user_id);
    await service.newDeal('spa');
    const body = { deal_id: 'spa', quantity: 1, user_id, credit_card_id, expected_price_per_unit: 1000 };
    const { id } = (await service.ask('POST', '/purchases', { key, body })).body.purchase;
    await gateway.kill();
    await service.operate('POST', `/purchases/${id}/refund`, { reason: 'the spa has closed' });
    let open: Json;
    do {
      await service.forward((5 * MINUTE) / SECOND + 1);
      [open] = await openRefunds();
    } while (open.state !== 'stuck');

    console = await ConsolePage.open(browser, service);
    await console.signIn(service.operatorToken);
    await console.press('link', 'Work');
    await console.shows('Work');
    // Stuck work comes first.
    const first = console.page
      .getByRole('table', { name: /^Work lists/ })
      .getByRole('row')
      .nth(1);
    await first.getByRole('link', { name: /^open refunds$/i }).waitFor();
    expect(await first.innerText()).toMatch(/open refunds\s+1\s+1/i);
    await console.press('link', /^open refunds$/i);
    const refund = console.page.getByRole('region', { name: new RegExp(open.key) });
    await refund.getByText('stuck', { exact: true }).waitFor();
    // Why, what it is about, and what to do.
    expect(await refund.innerText()).toContain(open.last_error);
    expect(await refund.innerText()).toContain('then try it again');
    await refund.getByRole('link', { name: id }).waitFor();
    expect(await refund.getByRole('button', { name: 'Abandon' }).count()).toBe(0);

    gateway = await RunningSandbox.start({ dataDir: gateway.dataDir, env: { PORT: new URL(gateway.url).port } });
    await console.press('button', 'Try again now');
    const dialog = console.page.getByRole('dialog', { name: 'Try again now' });
    await dialog.getByText(`holdfast work retry open-refunds ${open.key}`).waitFor();
    await console.confirm();
    await console.page.getByText('Nothing is open.').waitFor();
    expect(gateway.ledger.filter(({ kind }) => kind === 'refund')).toMatchObject([{ charge: id, outcome: 'refunded' }]);
    expect(console.complaints).toEqual([]);
  });

  it('G13, G6.2: what may be abandoned asks why, and says that nobody can take it back', async () => {
    const { key } = await service.newPartner('bell');
    const held = await service.ask('POST', '/purchases/reserve?deal_id=spa&num_bought=1', { key });
    const { id } = held.body.purchase;
    await console.go('/work/hold-expiry');
    await console.page.getByRole('region', { name: new RegExp(id) }).waitFor();
    await console.press('button', 'Abandon');
    const dialog = console.page.getByRole('dialog', { name: 'Abandon' });
    await dialog.getByText('Nobody can take this back.').waitFor();
    await console.page.keyboard.type('a test');
    const button = dialog.getByRole('button', { name: 'Abandon' });
    while (!(await console.isFocused(button))) await console.page.keyboard.press('Tab');
    await console.page.keyboard.press('Enter');
    await console.page.getByText('Nothing is open.').waitFor();
    expect(console.complaints).toEqual([]);
  });
});
