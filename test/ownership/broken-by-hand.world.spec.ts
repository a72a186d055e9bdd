import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeAlone } from '../support/alone.js';
import { BREAKS, breakLogOf } from '../support/broken-log.js';
import { HAS_PYTHON, runTool } from '../support/certificate-tool.js';
import { copyOf } from '../support/data-folder.js';
import { certificateOf } from '../support/deal-certificates.js';
import { healthOnce } from '../support/own-server.js';
import { discardLeftovers, RunningService } from '../support/running-service.js';
import { sellInAllWays } from '../support/sold-in-all-ways.js';

const DEAL = 'spa';

/** What finds a log that was broken by hand. docs/ownership.md has the same table in words. */
interface Found {
  /** What a start says, if it finds it. */
  readonly start?: string;
  /**
   * The first fault of the certificate: the category of the stream that it names, and its words. Undefined if the events of the
   * deal contradict nothing.
   */
  readonly first?: readonly [category: string, words: string];
}

const FOUND: Readonly<Record<string, Found>> = {
  'a unit sold twice': { first: ['inventory', 'numbers: a unit does not have the next number'] },
  'a return without a cause': { first: ['inventory', 'causes: no cancelled coupon of the deal is its cause'] },
  'a coupon too many': {},
  'a coupon too many, in its sale too': { first: ['inventory', 'numbers: a unit does not have the next number'] },
  'a code twice': { first: ['inventory', 'codes: it gives code 0 of revision 5 again'] },
  'a charge without a sale': { first: ['inventory', 'units: codes_left is not what the facts add up to'] },
  'held below 0': { first: ['inventory', 'units: held is below 0'] },
  'a changed price': { first: ['purchase', 'accounts: it does not say what the sale says'] },
  'a changed actor': { first: ['reservation', 'causes: its actor is not that of its cause inventory-spa@6'] },
  'a time moved back a week': { first: ['inventory', 'time: it is earlier than a decision before it'] },
  'a changed sold': { first: ['inventory', 'units: sold is not what the facts add up to'] },
  'a deleted coupon stream': { first: ['inventory', 'accounts: coupon-'] },
  'a deleted middle event': {
    start: 'inventory-spa has lost events: revision ',
    first: ['inventory', 'order: nobody can read it from here'],
  },
  'two swapped events': { first: ['inventory', 'numbers: it ends a hold that is not open'] },
  'a maximum passed': { first: ['inventory', 'limits: one buyer may not have so many units'] },
};

describeAlone('a log that somebody has changed by hand', () => {
  let dataDir: string;

  beforeAll(async () => {
    const service = await RunningService.start({ env: { GATEWAY_TIMEOUT: '1000' } });
    await sellInAllWays(service, DEAL, 'acme');
    await service.stop();
    ({ dataDir } = service);
  }, 120_000);
  afterAll(discardLeftovers);

  it('G7.4: the table says of each way what finds it', () => {
    expect(Object.keys(FOUND)).toEqual(BREAKS.map(({ name }) => name));
  });

  it.each(BREAKS)(
    'G7.4: with $name, start and certificate find what the table says, and the tool finds the same',
    async (way) => {
      const { start, first } = FOUND[way.name] ?? {};
      const folder = copyOf(dataDir);
      const changed = breakLogOf(folder, DEAL, way);
      const service = await RunningService.start({ dataDir: folder, unready: true });
      const { findings } = await healthOnce(
        service,
        ({ status, findings: all }) => status === 'success' || all.length > 0,
      );
      expect(findings).toEqual(start === undefined ? [] : [expect.objectContaining({ stream: `inventory-${DEAL}` })]);
      if (start !== undefined) expect(findings[0].message).toContain(start);
      const { text, lines } = await certificateOf(service, DEAL);
      const [fault] = text.split('\n').filter((line) => line.startsWith('fault '));
      const [, , place = '', ...words] = fault?.split(' ') ?? [];
      if (first === undefined) expect([fault, text.slice(-15)]).toEqual([undefined, 'verdict: sound\n']);
      else {
        expect([place.slice(0, place.indexOf('-')), words.join(' ')]).toEqual([
          first[0],
          expect.stringContaining(first[1]),
        ]);
        // At an event that somebody has changed, or at one that it contradicts.
        if (['inventory', 'purchase'].includes(first[0]) && !/^(causes|accounts): (no|coupon)/.test(first[1]))
          expect(changed).toContain(place);
        expect(text).toMatch(new RegExp(`\\nverdict: broken\\nfirst: ${place} at position \\d+\\n$`));
      }
      if (HAS_PYTHON) expect(runTool(lines)).toEqual({ code: first === undefined ? 0 : 1, out: text, err: '' });
      await service.discard();
    },
    60_000,
  );
});
