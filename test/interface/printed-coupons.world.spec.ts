import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { violationsOf } from '../support/axe.js';
import { Browser, CHROMIUM, type Layout } from '../support/browser.js';
import { buy } from '../support/buying.js';
import { describeInBrowser } from '../support/in-browser.js';
import { discardLeftovers, RunningService, type Json, type TestPartner } from '../support/running-service.js';
import { HAS_ZBAR, zbarSymbols, zxingSymbols, type Symbols } from '../support/symbol-reader.js';
import { tempFolder } from '../support/temp-folder.js';

const COUPONS = 24;
const MILLIMETRE = 96 / 25.4;
/** The width of A4 between margins of 14 mm. */
const PAPER: Layout = { width: Math.floor(182 * MILLIMETRE), height: 1_000, scale: 150 / 96, media: 'print' };
const PHONE: Layout = { width: 360, height: 800, scale: 2, media: 'screen' };
/** Inches. */
const SHEETS = { A4: [8.27, 11.69], Letter: [8.5, 11] } as const;
const DEAL = {
  title: 'Three-course dinner for two with wine',
  merchant_name: 'Trattoria da Aldo',
  description1: 'Antipasto, pasta of the day and dessert, with two glasses of the house wine.',
  instructions: 'Book a table by phone and mention the coupon.\nShow the codes before you order.',
  fine_print: 'One coupon per table and visit. Not valid on public holidays. Drinks other than the wine are extra.',
  fine_print_legalese: 'The merchant is the seller of the goods and services and is solely responsible for them.',
  fulfillment_method: 'printed',
  expiration_days: 90,
  stock: null,
  redemption_code_pool: Array.from({ length: COUPONS }, (_, number) => `ALDO-${1000 + 37 * number}-X`),
  locations: [
    {
      address: {
        street: '12 Harbour Street',
        postal_code: '10004',
        locality: 'New York',
        region: 'NY',
        country: 'US',
        latitude: 40.7,
        longitude: -74,
      },
      hours: 'Mon to Sat 17:00 to 23:00',
      phone: '+1 212 555 0134',
    },
    {
      address: {
        street: '480 Garden Avenue',
        postal_code: '11201',
        locality: 'Brooklyn',
        region: 'NY',
        country: 'US',
        latitude: 40.7,
        longitude: -74,
      },
      hours: '',
      phone: '+1 718 555 0178',
    },
  ],
};

if (CHROMIUM !== undefined && !HAS_ZBAR) {
  process.stderr.write('The PATH has no zbarimg: only one reader reads the printed coupons (B7, 2.6).\n');
}

describeInBrowser('printed coupons', () => {
  let folder: ReturnType<typeof tempFolder>;
  let service: RunningService;
  let browser: Browser;
  let acme: TestPartner;
  let coupons: readonly Json[];

  beforeAll(async () => {
    folder = tempFolder();
    service = await RunningService.start();
    browser = await Browser.start();
    acme = await service.newPartner('acme');
    const ann = await service.newUser(acme.key, 'ann@example.com');
    await service.newDeal('dinner', DEAL);
    coupons = (await buy(service, acme.key, 'dinner', ann, COUPONS)).coupons;
  });
  afterAll(async () => {
    folder.remove();
    await service.discard();
    await discardLeftovers();
    await browser.close();
  });

  const symbolsOf = (...shown: readonly Json[]): Symbols => ({
    qr: shown.map(({ id }) => `${service.url}/C/${id}`.toUpperCase()).toSorted(),
    code128: shown.map(({ barcode }) => barcode).toSorted(),
  });
  /** What each reader finds in a picture of the open page. */
  const read = async (name: string): Promise<readonly Symbols[]> => {
    const png = await browser.picture();
    const file = join(folder.path, `${name}.png`);
    writeFileSync(file, png);
    return [await zxingSymbols(png), ...(HAS_ZBAR ? [zbarSymbols(file)] : [])];
  };
  const readers = HAS_ZBAR ? 2 : 1;
  const each = <T>(expected: T): T[] => Array<T>(readers).fill(expected);
  const opened = (url: string, layout: Layout): Promise<void> => browser.open(url, layout);
  const widthOf = (selector: string): Promise<number> =>
    browser.ask<number>(`document.querySelector('${selector}').getBoundingClientRect().width`);

  it('B7, 2.6: readers find on one sheet of 24 coupons each redemption URL and barcode, and nothing else', async () => {
    const columns = 4;
    const [width, height] = [PAPER.width, 900];
    const frames = await Promise.all(
      coupons.map(async ({ print_url }) => {
        const { text } = await service.ask('GET', new URL(print_url).pathname);
        return `<iframe width="${width}" height="${height}" srcdoc="${text.replace(/[&"]/g, (c) => `&#${c.charCodeAt(0)};`)}"></iframe>`;
      }),
    );
    const sheet = join(folder.path, 'sheet.html');
    const style = `body { margin: 0; width: ${columns * width}px; font-size: 0 } iframe { border: 0 }`;
    writeFileSync(sheet, `<!doctype html><meta charset="utf-8"><style>${style}</style>${frames.join('')}`);
    await opened(pathToFileURL(sheet).href, { ...PAPER, width: columns * width, height: (COUPONS / columns) * height });
    expect(await read('sheet')).toEqual(each(symbolsOf(...coupons)));
  });

  it.each(Object.entries(SHEETS))('B7: a coupon takes one sheet of %s', async (_, [width, height]) => {
    await opened(coupons[0].print_url, PAPER);
    const pages = (await browser.paper(width, height)).toString('latin1').match(/\/Type\s*\/Page\b/g);
    expect(pages).toHaveLength(1);
  });

  it('B7: on paper the QR code is at least 30 mm and the barcode at least 50 mm wide', async () => {
    await opened(coupons[0].print_url, PAPER);
    expect((await widthOf('.qr')) / MILLIMETRE).toBeGreaterThan(30);
    expect((await widthOf('.bars')) / MILLIMETRE).toBeGreaterThan(50);
    expect(await read('paper')).toEqual(each(symbolsOf(coupons[0])));
  });

  it('B7: on a phone of 360 px nothing is cut off or scrolls sideways, and readers find both codes', async () => {
    const [coupon] = coupons;
    for (const url of [coupon.print_url, `${service.url}/C/${coupon.id}`]) {
      for (const width of [320, 360]) {
        await opened(url, { ...PHONE, width });
        expect(await browser.ask('document.documentElement.scrollWidth')).toBe(width);
        const cut = `[...document.querySelectorAll('*')].filter((e) => e.getBoundingClientRect().right > ${width}).length`;
        expect(await browser.ask(cut)).toBe(0);
      }
    }
    expect(await read('redemption')).toEqual(each({ qr: [], code128: [] }));
    await opened(coupon.print_url, PHONE);
    expect(await read('phone')).toEqual(each(symbolsOf(coupon)));
  });

  it('B7: the page keeps its look under its own policy', async () => {
    await opened(coupons[0].print_url, PHONE);
    expect(await browser.ask('getComputedStyle(document.querySelector("main")).borderRadius')).toBe('16px');
  });

  it.each([
    ['by day', PHONE],
    ['by night', { ...PHONE, dark: true }],
    ['on paper', PAPER],
  ] as const)('everybody can read the pages of a coupon %s: WCAG 2 A and AA', async (_, layout) => {
    const [coupon] = coupons;
    for (const url of [coupon.print_url, `${service.url}/C/${coupon.id}`, `${service.url}/C/nothing`]) {
      await opened(url, layout);
      expect([url, await violationsOf(browser)]).toEqual([url, []]);
    }
  });

  it("B7: the print button opens the dialogue under the page's policy, and does not print", async () => {
    await opened(coupons[0].print_url, PHONE);
    await browser.ask('window.print = () => { document.title = "printed"; }; document.querySelector("button").click()');
    expect(await browser.ask('document.title')).toBe('printed');
    await opened(coupons[0].print_url, PAPER);
    expect(await widthOf('button')).toBe(0);
  });

  it('B7: a redeemed coupon has no code to scan', async () => {
    const coupon = coupons[COUPONS - 1];
    await service.ask('PUT', `/coupons/${coupon.id}/redeem`, { key: acme.key });
    await opened(coupon.print_url, PAPER);
    expect(await browser.ask('document.querySelector(".word").textContent')).toBe('Redeemed');
    expect(await read('redeemed')).toEqual(each({ qr: [], code128: [] }));
  });
});
