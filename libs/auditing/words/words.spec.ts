import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { EventBody } from '#kernel';
import { wordsOf, WORDS } from './table.js';

/** A sample of each event type that the log may hold. */
const SAMPLES: ReadonlyMap<string, EventBody> = new Map(
  globSync('test/golden/*.v*.json').map((file) => [
    basename(file, '.json'),
    JSON.parse(readFileSync(file, 'utf8')) as EventBody,
  ]),
);
const TYPES = WORDS.flatMap(({ phrases }) => Object.keys(phrases));

/** Fields that a line must not tell: personal data, sealed or hashed, hashes of secrets, codes, and a card's digits. */
const SECRET =
  /^(profile|password|email|address|addresses|previous|details|buyer|hash|number_hash|content|codes|redemption_code|last4|username|session_id)$/;

const sampleOf = (type: string): EventBody => {
  const sample = SAMPLES.get(type);
  if (sample === undefined) throw new Error(`no sample of ${type}`);
  return sample;
};

/** The words of a sample, of which some fields are others. */
const told = (type: string, data: object = {}): string => wordsOf({ type, data: { ...sampleOf(type).data, ...data } });

/** The texts in these fields, at every depth. */
function textsIn(value: unknown, isWanted: (name: string) => boolean, name = ''): readonly string[] {
  if (typeof value === 'string') return isWanted(name) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => textsIn(each, isWanted, Array.isArray(value) ? name : key));
}

/** The same data with other texts. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each, change)]));
}

describe('G7.6: the words of an event', () => {
  it.each(TYPES)('are one line of plain text without secrets: %s', (type) => {
    const line = told(type);
    expect(line).toMatch(/^[\p{L}\d][^\p{C}\n]+[^.\s]$/u);
    expect(line.length).toBeLessThanOrEqual(200);
    expect(line).not.toMatch(/undefined|null|NaN|\[object|true|false/);
    // What the general sentence says is for events that lack something.
    expect(line).not.toBe(type);
    const secrets = textsIn(sampleOf(type).data, (name) => SECRET.test(name));
    expect(secrets.filter((secret) => line.includes(secret))).toEqual([]);
  });

  it.each(TYPES)('stay one bounded line, whatever the texts in the event are: %s', (type) => {
    for (const strange of ['x'.repeat(1_000), 'a\r\nb\u2028c\u0000', '\u202e\u2066'.repeat(200)]) {
      const data = withTexts(sampleOf(type).data, () => strange) as object;
      const line = wordsOf({ type, data });
      expect(line.length).toBeLessThanOrEqual(200);
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      expect(line).not.toContain('x'.repeat(255));
    }
  });

  it.each([
    ['hold-placed.v1', {}, '2 units of spa-day are held until 2027-01-15T08:05:00Z at 19.99 USD each'],
    ['hold-placed.v1', { quantity: 1 }, '1 unit of spa-day is held until 2027-01-15T08:05:00Z at 19.99 USD each'],
    [
      'hold-claimed.v1',
      {},
      '2 held units of spa-day are sold to user 01a2b3c4d5e6aaaaaaaaaaaaaaaaaaaa at 19.99 USD each',
    ],
    ['hold-expired.v1', {}, '2 held units are free again: the hold had reached its deadline'],
    ['stock-set.v1', {}, 'the stock is 10 units now; 2 held, 3 sold'],
    ['stock-set.v1', { stock: null }, 'the stock is unlimited now; 2 held, 3 sold'],
    [
      'terms-set.v1',
      {},
      'spa-day sells from 2027-01-15T08:00:00Z to 2027-01-16T08:00:00Z at 19.99 USD each, at most 2 to a user',
    ],
    ['codes-added.v1', {}, '4 codes came into the pool; it has 5'],
    ['unit-returned.v1', {}, 'the unit of coupon 5e11e4005e11c0000000000000000100 is on sale again'],
    ['deal-created.v1', {}, 'spa-day was made, submitted: A day at the spa, 19.99 USD'],
    ['deal-moved.v1', {}, 'spa-day moved from submitted to in-review'],
    [
      'purchase-recorded.v1',
      {},
      'user 01a2b3c4d5e6aaaaaaaaaaaaaaaaaaaa bought 2 units of spa-day for 39.98 USD; the partner took the payment',
    ],
    ['purchase-charged.v1', {}, 'sandbox took 39.98 USD (sandbox-17); 2 units of spa-day are sold'],
    ['purchase-declined.v1', {}, 'sandbox declined the charge of 39.98 USD: insufficient funds; nothing was taken'],
    ['purchase-voided.v1', {}, 'the charge was given up; sandbox gave back 39.98 USD (sandbox-17)'],
    ['purchase-voided.v1', { refunded: false }, 'the charge was given up; nothing had been taken'],
    [
      'purchase-coupon-cancelled.v1',
      {},
      'coupon 01a2b3c4d5e6c0000000000000000100 was cancelled; the gateway gives back 19.99 USD, 19.99 USD in all; 1 unit is left',
    ],
    [
      'purchase-money-refused.v1',
      {},
      'sandbox will not give back 19.99 USD for coupon 01a2b3c4d5e6c0000000000000000100: only 0 cents are left of the charge',
    ],
    ['purchase-resold.v1', {}, 'a reseller sold 2 units of spa-day for 35.00 USD, as order-1001'],
    [
      'coupon-issued.v1',
      {},
      'coupon 000000000011 of spa-day was issued for a reseller; it expires at 2027-01-16T08:00:00Z',
    ],
    ['coupon-redeemed.v1', {}, 'coupon 01a2b3c4d5e6c0000000000000000100 was redeemed at 2027-01-15T08:00:01Z'],
    [
      'coupon-cancelled.v1',
      {},
      'coupon 5e11e4005e11c0000000000000000100 of spa-day was cancelled: the reseller cancelled it; its unit is on sale again',
    ],
    ['coupon-reissued.v1', {}, 'coupon 5e11e4005e11c0000000000000000200 was issued again as 000000000013: lost'],
    ['user-changed.v1', {}, 'user 01a2b3c4d5e6aaaaaaaaaaaaaaaaaaaa is deleted'],
    [
      'card-deleted.v1',
      {},
      'card ca4d00ca4d00ca4d00ca4d00ca4d0001 of user 01a2b3c4d5e6aaaaaaaaaaaaaaaaaaaa was deleted; card ca4d00ca4d00ca4d00ca4d00ca4d0002 is the default now',
    ],
    [
      'access-token-issued.v1',
      {},
      'user 01a2b3c4d5e6aaaaaaaaaaaaaaaaaaaa may call the service until 2027-01-15T08:10:00Z: scope user and credit_card, access read and write',
    ],
    [
      'delivery-delayed.v1',
      {},
      'the mail to user 01a20505f50b7da7fd2a8de556832f10 waits until 2026-03-02T12:01:00.100Z after try 1: the mail server mail.example.org:25 says 451 greylisted, tr…',
    ],
    ['daily-update-planned.v1', {}, 'the daily update of 2027-01-16 goes out at 2027-01-16T13:00:00Z'],
    [
      'partner-key-issued.v1',
      {},
      'the partner has the API key 01a2b3c4d5e6bbbbbbbbbbbbbbbbbbbb (till): scope coupon, access read and write',
    ],
    [
      'partner-key-issued.v1',
      { name: null, restriction: null },
      'the partner has the API key 01a2b3c4d5e6bbbbbbbbbbbbbbbbbbbb',
    ],
    ['partner-suspension-set.v1', { suspended: true }, 'the partner is suspended'],
    ['operator-token-issued.v2', { expires_at: null }, 'ann has a token as operator'],
    ['operator-token-issued.v2', {}, 'ann has a token as operator until 2027-02-28T00:53:20Z'],
    ['clock-moved.v1', {}, 'the test clock was moved to 2027-01-15T08:00:00Z'],
  ])('tell the facts of %s %j', (type, data, line) => {
    expect(told(type, data)).toBe(line);
  });

  it('name the attributes of a deal that changed, and its new price', () => {
    const { attributes } = sampleOf('deal-changed.v1').data as { readonly attributes: object };
    const changed = (names: readonly string[], current_price: number | null = 1_200): string =>
      told('deal-changed.v1', { changed: names, attributes: { ...attributes, current_price } });
    expect(changed(['title', 'tags'])).toBe('spa-day: title and tags changed');
    expect(changed(['current_price'])).toBe('spa-day: current_price is 12.00 USD now');
    expect(changed(['title', 'current_price', 'tags'])).toBe(
      'spa-day: current_price is 12.00 USD now; title and tags changed too',
    );
    expect(changed(['current_price'], null)).toBe('spa-day: current_price is not set now');
    const all = Object.keys(attributes);
    const line = changed(all);
    expect(line).toMatch(/^spa-day: current_price is 12\.00 USD now; value, .* and \d+ more changed too$/);
    const named = line.split('; ')[1]?.split(/, | and /) ?? [];
    expect(named.length - 1 + Number(/(\d+) more/.exec(line)?.[1])).toBe(all.length - 1);
  });

  it('cut the texts of people', () => {
    const reason = 'The spa has closed\nfor the season, and nobody there knows when it will open its doors again';
    expect(told('deal-moved.v1', { reason })).toMatch(
      /: The spa has closed for the season, and nobody there knows w…$/,
    );
    expect(told('deal-moved.v1', { reason: null })).not.toContain(':');
    // A text from right to left does not turn the words around it.
    expect(told('coupon-cancelled.v1', { reason: 'שלום' })).toContain(': \u2068שלום\u2069;');
  });

  it('are the general sentence for an event that lacks something, and the type for an unknown event', () => {
    expect(wordsOf({ type: 'hold-placed.v1', data: {} })).toBe('Units are held.');
    expect(wordsOf({ type: 'hold-placed.v9', data: {} })).toBe('hold-placed.v9');
  });
});
