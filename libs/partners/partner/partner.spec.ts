import { describe, expect, it } from '@jest/globals';
import { IN_A_LIFE } from '#kernel/bounds';
import { given, rowsOf, stateOf } from '../../../test/support/given-when-then.js';
import { partner, type PartnerCommand } from './partner.decider.js';
import type { PartnerEvent } from './partner.events.js';
import { apiKeysView, partnersView } from './partner.view.js';

const partner_id = 'p1';
const create: PartnerCommand = {
  type: 'create',
  partner_id,
  name: 'Acme',
  slug: 'acme',
  key: { key_id: 'k1', hash: 'h1' },
  password: 'pw1',
  storefront_url: null,
};
const created = partner.decide(create, partner.initialState, 0);
const FULL = { name: null, restriction: null };
const TILL = { name: 'till', restriction: { scope: ['coupon', 'purchase'], access: ['read', 'write'] } };
const issue = (n: number, as: typeof FULL | typeof TILL = FULL): PartnerCommand => ({
  type: 'issue-key',
  partner_id,
  key_id: `k${n}`,
  hash: `h${n}`,
  ...as,
});
const revoke = (n: number): PartnerCommand => ({ type: 'revoke-key', partner_id, key_id: `k${n}` });
const issued = (n: number, as: typeof FULL | typeof TILL = FULL): PartnerEvent => ({
  type: 'partner-key-issued.v1',
  data: { partner_id, key_id: `k${n}`, hash: `h${n}`, ...as },
});
const revoked = (n: number): PartnerEvent => ({
  type: 'partner-key-revoked.v1',
  data: { partner_id, key_id: `k${n}`, hash: `h${n}` },
});
const STOREFRONT = 'https://acme.example/{deal_id}';
const storefront = (storefront_url: string | null): PartnerEvent => ({
  type: 'partner-storefront-set.v1',
  data: { partner_id, storefront_url },
});
const setStorefront = (storefront_url: string | null): PartnerCommand => ({
  type: 'change',
  partner_id,
  storefront_url,
});
const suspend = (suspended: boolean): PartnerCommand => ({ type: 'change', partner_id, suspended });
const suspension = (suspended: boolean): PartnerEvent => ({
  type: 'partner-suspension-set.v1',
  data: { partner_id, suspended },
});
const password = (hash: string): PartnerEvent => ({
  type: 'partner-password-set.v1',
  data: { partner_id, username: 'acme', hash },
});

describe('G2: a partner', () => {
  it('is created with a key and a password, and the events hold only keyed hashes', () => {
    given(partner)
      .when(create)
      .then([
        { type: 'partner-created.v1', data: { partner_id, name: 'Acme', slug: 'acme' } },
        issued(1),
        password('pw1'),
      ]);
  });

  it('is created once by an import, without secrets', () => {
    const enrol: PartnerCommand = { type: 'enrol', partner_id, name: 'Acme', slug: 'acme' };
    const enrolled: PartnerEvent = { type: 'partner-created.v1', data: { partner_id, name: 'Acme', slug: 'acme' } };
    given(partner).when(enrol).then([enrolled]);
    given(partner, [enrolled]).when(enrol).then([]);
    given(partner, created).when(enrol).then([]);
    given(partner, [enrolled])
      .when(issue(2))
      .then([issued(2)]);
    given(partner, [enrolled]).when(create).then('slug_taken');
  });

  it('is created once: a repeat of the request does nothing, another request is refused', () => {
    given(partner, created).when(create).then([]);
    given(partner, created)
      .when({ ...create, key: { key_id: 'k9', hash: 'h9' } })
      .then('slug_taken');
  });

  it.each<readonly [string, PartnerCommand]>([
    ['a key', issue(2)],
    ['a revocation', revoke(1)],
    ['a password', { type: 'set-password', partner_id, hash: 'pw2' }],
    ['a storefront', setStorefront(STOREFRONT)],
    ['a suspension', suspend(true)],
  ])('that does not exist gets no %s', (_, command) => {
    given(partner).when(command).then('not_found');
  });

  it('has a bounded number of keys: the next one is refused, and a repeat of the last one is not', () => {
    const { validKeys, keys } = IN_A_LIFE;
    const valid = Array.from({ length: validKeys - 2 }, (_, index) => issued(2 + index));
    given(partner, [...created, ...valid])
      .when(issue(validKeys))
      .then([issued(validKeys)]);
    const full = [...created, ...valid, issued(validKeys)];
    given(partner, full).when(issue(validKeys)).then([]);
    given(partner, full)
      .when(issue(validKeys + 1))
      .then('keys_used_up');
    given(partner, [...full, revoked(7)])
      .when(issue(validKeys + 1))
      .then([issued(validKeys + 1)]);
    const state = { ...stateOf(partner, created), revoked: Array.from({ length: keys - 2 }, (_, n) => `old-${n}`) };
    expect(partner.decide(issue(2), state, 0)).toEqual([issued(2)]);
    const last = partner.evolve(state, issued(2));
    expect(() => partner.decide(issue(3), last, 0)).toThrow(`${keys} keys`);
    expect(partner.decide(revoke(2), last, 0)).toEqual([revoked(2)]);
  });

  it('A4: has several keys, each valid until it is revoked; neither step happens twice', () => {
    given(partner, created)
      .when(issue(2))
      .then([issued(2)]);
    given(partner, [...created, issued(2)])
      .when(issue(2))
      .then([]);
    given(partner, [...created, issued(2)])
      .when(revoke(1))
      .then([revoked(1)]);
    given(partner, [...created, revoked(1)])
      .when(revoke(1))
      .then([]);
    given(partner, [...created, revoked(1)])
      .when(issue(1))
      .then([]);
    given(partner, created).when(revoke(7)).then('not_found');
    expect(stateOf(partner, [...created, issued(2), revoked(1)])).toMatchObject({
      keys: { k2: { hash: 'h2', ...FULL } },
      revoked: ['k1'],
    });
  });

  it('gets a new password; the same password again leads to no event', () => {
    const command: PartnerCommand = { type: 'set-password', partner_id, hash: 'pw2' };
    given(partner, created)
      .when(command)
      .then([password('pw2')]);
    given(partner, [...created, password('pw2')])
      .when(command)
      .then([]);
  });

  it('H4: has a storefront from its creation or later; the same again leads to no event, and null removes it', () => {
    given(partner)
      .when({ ...create, storefront_url: STOREFRONT })
      .then([...created, storefront(STOREFRONT)]);
    given(partner, created)
      .when(setStorefront(STOREFRONT))
      .then([storefront(STOREFRONT)]);
    given(partner, created).when(setStorefront(null)).then([]);
    given(partner, [...created, storefront(STOREFRONT)])
      .when(setStorefront(STOREFRONT))
      .then([]);
    given(partner, [...created, storefront(STOREFRONT)])
      .when(setStorefront(null))
      .then([storefront(null)]);
  });

  it('I10: is suspended and resumed, alone or with its storefront in one decision; the same again leads to no event', () => {
    given(partner, created)
      .when(suspend(true))
      .then([suspension(true)]);
    given(partner, created).when(suspend(false)).then([]);
    given(partner, [...created, suspension(true)])
      .when(suspend(true))
      .then([]);
    given(partner, [...created, suspension(true)])
      .when({ type: 'change', partner_id, suspended: false, storefront_url: STOREFRONT })
      .then([storefront(STOREFRONT), suspension(false)]);
    // Its credentials can be changed meanwhile: what is revoked then does not come back.
    given(partner, [...created, suspension(true)])
      .when(revoke(1))
      .then([revoked(1)]);
  });

  it('I8, I11: has several keys of one name only if they allow the same', () => {
    const till = [...created, issued(2, TILL)];
    const other = { name: 'till', restriction: { scope: ['coupon'], access: ['read', 'write'] } };
    const turned = { name: 'till', restriction: { scope: ['purchase', 'coupon'], access: ['write', 'read'] } };
    given(partner, created)
      .when(issue(2, TILL))
      .then([issued(2, TILL)]);
    given(partner, till)
      .when(issue(3, turned))
      .then([issued(3, turned)]);
    given(partner, till).when(issue(3, other)).then('key_name_taken');
    given(partner, till)
      .when({ ...issue(3), name: 'till', restriction: null } as PartnerCommand)
      .then('key_name_taken');
    given(partner, till)
      .when(issue(3, { ...other, name: 'door' }))
      .then([issued(3, { ...other, name: 'door' })]);
    // Names that look the same to people are one.
    for (const name of ['Till', 'ｔｉｌｌ'])
      given(partner, till)
        .when(issue(3, { ...other, name }))
        .then('key_name_taken');
    // Without a name, keys are nobody's successors.
    given(partner, till)
      .when(issue(3))
      .then([issued(3)]);
    given(partner, [...till, revoked(2)])
      .when(issue(3, other))
      .then([issued(3, other)]);
  });

  // A key id is data: the name of an inherited property is a key id like any other.
  it('refuses a key that it never had', () => {
    given(partner, created).when({ type: 'revoke-key', partner_id, key_id: 'constructor' }).then('not_found');
    given(partner, created)
      .when({ type: 'issue-key', partner_id, key_id: 'constructor', hash: 'h', ...FULL })
      .then([{ type: 'partner-key-issued.v1', data: { partner_id, key_id: 'constructor', hash: 'h', ...FULL } }]);
  });

  describe('as rows', () => {
    const history = [...created, issued(2), revoked(1), password('pw2')].map((event) => ({
      ...event,
      stream: 'partner-p1',
      time: 5,
    }));

    it('G2: the list shows keys without hashes', async () => {
      const rows = await rowsOf(partnersView, history);
      expect(rows).toEqual({
        p1: {
          id: 'p1',
          name: 'Acme',
          slug: 'acme',
          storefront_url: null,
          suspended: false,
          created_at: 5,
          keys: [
            { key_id: 'k1', ...FULL, created_at: 5, revoked: true },
            { key_id: 'k2', ...FULL, created_at: 5, revoked: false },
          ],
        },
      });
      expect(JSON.stringify(rows)).not.toMatch(/h1|h2|pw/);
    });

    it('H4: the list shows the storefront as it was last set', async () => {
      const rows = (history: readonly PartnerEvent[]): Promise<Readonly<Record<string, unknown>>> =>
        rowsOf(
          partnersView,
          history.map((event) => ({ ...event, stream: 'partner-p1', time: 5 })),
        );
      expect(await rows([...created, storefront(STOREFRONT)])).toMatchObject({ p1: { storefront_url: STOREFRONT } });
      expect(await rows([...created, storefront(STOREFRONT), storefront(null)])).toMatchObject({
        p1: { storefront_url: null },
      });
      expect(await rows([storefront(STOREFRONT)])).toEqual({});
    });

    it('A4: a valid key’s hash finds its partner, a revoked key’s hash finds nothing', async () => {
      expect(await rowsOf(apiKeysView, history)).toEqual({ h2: { partner_id, key_id: 'k2' } });
    });
  });
});
