import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { newDataDir, RunningService, type Answer, type TestPartner } from '../support/running-service.js';

const PAGE = 4096;
/** Fills whole pages of a view's file. */
const TEXT = 'spoiled by the disk '.repeat(900);
const WITHIN = 240_000;

/** A disk replaces pages with rubbish, or changes only their text: then SQLite itself finds nothing wrong. */
const DAMAGES = {
  'pages without sense': { from: 0, byte: 0xff, reason: 'database disk image is malformed' },
  'pages with another text': { from: 4, byte: 0x22, reason: 'a row is not JSON' },
} as const;

/** Damages the pages of one file that hold only the text. @returns whether there are such pages */
function spoil(file: string, { from, byte }: { readonly from: number; readonly byte: number }): boolean {
  const content = readFileSync(file);
  const pages = Array.from({ length: content.length / PAGE }, (_, page) => page * PAGE).filter((at) => {
    const page = content.subarray(at + 4, at + PAGE).toString('latin1');
    return page.split('spoiled by the disk').length > 190;
  });
  for (const at of pages) content.fill(byte, at + from, at + PAGE);
  writeFileSync(file, content);
  return pages.length > 0;
}

describeOnEmbedded('a damaged file of a view', () => {
  let service: RunningService;
  let acme: TestPartner;
  afterEach(() => service.discard());

  const dealsIn = (dataDir: string): string => {
    const name = readdirSync(join(dataDir, 'views')).find((each) => /^deals\.v\d+\.g\d+\.db$/.test(each));
    if (name === undefined) throw new Error('there is no file of the view deals');
    return join(dataDir, 'views', name);
  };
  const change = (): Promise<Answer> =>
    service.ask('PUT', '/operators/deals/lunch', { token: service.operatorToken, body: { category: 'food' } });
  const read = (): Promise<Answer> => service.ask('GET', '/deals/lunch', { key: acme.key });

  async function until(holds: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + WITHIN;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`it does not come: ${service.printed.slice(-4_000)}`);
      await pause(50);
    }
  }

  /** A shop with a deal that fills pages, damaged while it is stopped. @returns the damaged file */
  async function damagedShop(damage: { readonly from: number; readonly byte: number }): Promise<string> {
    const dataDir = newDataDir();
    service = await RunningService.start({ dataDir });
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { description1: TEXT });
    await until(async () => (await read()).status === 200);
    await service.stop();
    const file = dealsIn(dataDir);
    // What a stop leaves in the journal goes into the file.
    const database = new DatabaseSync(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    expect(spoil(file, damage)).toBe(true);
    service = await RunningService.start({ dataDir });
    expect((await service.health()).status).toBe(200);
    return file;
  }

  async function isWholeAgain(file: string, reason: string): Promise<void> {
    await until(async () => (await read()).status === 200);
    expect((await read()).body.deal.description1).toBe(TEXT);
    await until(async () => (await service.health()).status === 200);
    await service.prints(`${file} is damaged (${reason}) and is removed: the view deals is built again`);
    expect(dealsIn(join(file, '..', '..'))).not.toBe(file);
    expect(service.printed).not.toContain('the projector has failed');
  }

  it.each(Object.entries(DAMAGES))(
    '%s that a call reads: the call is refused for now, the view is built again, and the log says so',
    async (_, { reason, ...damage }) => {
      const file = await damagedShop(damage);
      const { status, body } = await read();
      expect([status, body.error_msg]).toEqual([503, 'the view deals is being built']);
      await isWholeAgain(file, reason);
      expect((await change()).status).toBe(200);
    },
  );

  it.each(Object.entries(DAMAGES))(
    '%s that an event changes: the view is built again, with the event',
    async (_, { reason, ...damage }) => {
      const file = await damagedShop(damage);
      expect((await change()).status).toBe(200);
      await isWholeAgain(file, reason);
      expect((await read()).body.deal.category).toBe('food');
    },
  );

  it.each([
    ['cut off within its first pages', (content: Buffer) => content.subarray(0, 2 * PAGE), 'is damaged ('],
    ['empty', () => Buffer.alloc(0), 'is damaged ('],
  ])('one that is %s: the next start builds the view again and says so', async (_, cut, words) => {
    const file = await damagedShop({ from: PAGE, byte: 0 });
    await service.stop();
    writeFileSync(file, cut(readFileSync(file)));
    service = await RunningService.start({ dataDir: join(file, '..', '..') });
    expect((await read()).body.deal.description1).toBe(TEXT);
    await service.prints(`${file} ${words}`);
    await service.prints('the view deals is built again from the event log');
  });
});
