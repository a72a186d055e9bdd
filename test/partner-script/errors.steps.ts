import { all, type Check, exactly, has, isObject, object, optional, same, that } from './checks.js';
import { cannotFufill, errorBody, invalid, notFound } from './error.shapes.js';
import { type Known } from './known.js';
import { type Call, keyed, named, refused, type Sender, type Step, step, succeeds, success, answers } from './step.js';

type Named = readonly [does: string, call: (known: Known) => Call];

/** Calls of each subject that need the key (5.2). */
const KEYED: readonly Named[] = [
  ['lists deals', () => keyed('GET', '/v1/deals')],
  ['looks up a deal', ({ world }) => keyed('GET', `/deals/${world.deals.daily.id}`)],
  ['lists regions', () => keyed('GET', '/api/v1/regions')],
  ['lists regional deals', ({ world }) => keyed('GET', `/regions/${world.regions.home.id}/deals`)],
  ['reads a user', (known) => keyed('GET', `/users/${known.text('ada')}`)],
  ['lists cards', (known) => keyed('GET', '/credit_cards', { query: { user_id: known.text('ada') } })],
  ['reads a purchase', (known) => keyed('GET', `/purchases/${known.text('full purchase')}`)],
  [
    'buys',
    (known) =>
      keyed('POST', '/v1/purchases/full.json', {
        json: {
          deal_id: known.world.deals.daily.id,
          quantity: 1,
          user_id: known.text('ada'),
          credit_card_id: known.text("Ada's card"),
        },
      }),
  ],
  [
    'reserves',
    ({ world }) => keyed('POST', '/purchases/reserve', { json: { deal_id: world.deals.daily.id, num_bought: 1 } }),
  ],
  ['redeems a coupon', (known) => keyed('PUT', `/coupons/${known.text('first coupon')}/redeem`)],
  ['removes a saved deal', (known) => keyed('DELETE', `/saved_deals/${known.text('an on-going deal')}`)],
  ['reads a subscription', (known) => keyed('GET', `/subscriptions/${known.text('subscription')}`)],
  [
    'reads a batch',
    (known) =>
      keyed('GET', `/v1/targeted_email/batches/${known.text('batch')}`, {
        query: { deal_id: known.world.deals.daily.id },
      }),
  ],
];

/** 5.3: calls that need username and password. */
const NAMED: readonly Named[] = [
  ['lists v3 deals', () => named('GET', '/api/v3/deals', { query: { fields: 'id' } })],
  ['looks at a resold coupon', (known) => named('GET', `/api/v3/coupons/${known.text('second resold coupon')}`)],
  [
    'cancels a resold coupon',
    (known) => named('DELETE', `/api/v3/coupons/${known.text('second resold coupon')}/cancel`),
  ],
];

type Wrong = readonly [how: string, sender: Sender];

const WITHOUT_KEY: readonly Wrong[] = [
  ['without a key', 'nobody'],
  ['with a wrong key', 'wrong key'],
  ['with username and password instead of the key', 'userinfo'],
];

const WITHOUT_PASSWORD: readonly Wrong[] = [
  ['without credentials', 'nobody'],
  ['with a wrong password', 'wrong password'],
  ['with the key instead of username and password', 'key'],
];

/** 5: nobody is answered without the right credentials. What the answer is stays open. */
function unauthenticated(calls: readonly Named[], ways: readonly Wrong[]): readonly Step[] {
  return calls.flatMap(([does, call]) =>
    ways.map(([how, sender]) => step('5', `${does} ${how}`, (known) => ({ ...call(known), sender }), refused())),
  );
}

const authentication: readonly Step[] = [
  ...unauthenticated(KEYED, WITHOUT_KEY),
  ...unauthenticated(NAMED, WITHOUT_PASSWORD),
  step(
    '5',
    'lists the saved deal that nobody could remove',
    (known) => keyed('GET', `/users/${known.text('ada')}/saved_deals`),
    (known) => succeeds(success({ saved_deals: has(known.text('an on-going deal')) })),
  ),
  step(
    '5',
    'looks at the resold coupon that nobody could cancel',
    (known) => named('GET', `/api/v3/coupons/${known.text('second resold coupon')}`),
    succeeds(object({ coupon: object({ state: exactly('valid') }, 'open') }, 'open')),
  ),
];

/** 5.1: without HTTPS even a call with the right credentials fails. */
const plain: readonly Step[] = [
  step('5', 'lists deals without HTTPS', () => keyed('GET', '/v1/deals', { plain: true }), {
    ...refused(),
    mayBreak: true,
  }),
  step(
    '5',
    'lists v3 deals without HTTPS',
    () => named('GET', '/api/v3/deals', { query: { fields: 'id' }, plain: true }),
    {
      ...refused(),
      mayBreak: true,
    },
  ),
];

/** 7.1: each type of error once more, with the exact body. */
const types: readonly Step[] = [
  step('7.1', 'find_failed', () => keyed('GET', '/v1/deals/no-such-deal'), notFound),
  step(
    '7.1',
    'cannot_fufill, as the interface spells it',
    (known) =>
      keyed('POST', '/v1/purchases/full.json', {
        json: {
          deal_id: known.world.deals.soldOut.id,
          quantity: 1,
          user_id: known.text('ada'),
          credit_card_id: known.text("Ada's card"),
        },
      }),
    cannotFufill,
  ),
  step(
    '7.1',
    'validation_failed, with an entry for each of two parts',
    (known) => keyed('POST', '/v1/purchases/full.json', { json: { deal_id: known.world.deals.daily.id, quantity: 1 } }),
    invalid({ resources: ['user'] }),
  ),
  step(
    '7.1',
    'update_failed',
    (known) =>
      keyed('PUT', '/api/v1/users/newcomer@partner.example/update_by_email', {
        json: { token: `other than ${known.text('newcomer')}` },
      }),
    answers(422, errorBody('update_failed')),
  ),
  step('7.1', 'a path that does not exist', () => keyed('GET', '/v1/no-such-call'), refused()),
  step(
    '7.1',
    'a body that is no JSON',
    () => keyed('POST', '/v1/purchases/full.json', { json: '{"deal_id": ' }),
    refused(),
  ),
];

/** Deprecated names and their replacements that are said to be the same identifier. */
const SAME_AS = [
  ['id', 'slug'],
  ['id', 'deal_id'],
  ['region_id', 'region_slug'],
  ['supplier_id', 'supplier_slug'],
] as const;

const deprecated: readonly Step[] = SAME_AS.map(([use, old]) =>
  step(
    '9',
    `uses ${use} instead of ${old}`,
    ({ world }) => keyed('GET', `/v1/deals/${world.deals.daily.id}`),
    succeeds(success({ deal: all(object({}, 'open'), present(use), present(old), same(use, old)) })),
  ),
);

function present(key: string): Check {
  return that(`an object with ${key}`, (value) => isObject(value) && key in value);
}

/** 9: the generations answer in their own forms. */
const versions: readonly Step[] = [
  step(
    '9',
    'reads the deals of generation 1, with a status',
    ({ world }) => keyed('GET', '/v1/deals', { json: { slug: world.deals.daily.id } }),
    succeeds(success({ deals: that('a list', Array.isArray) })),
  ),
  step(
    '2.3',
    'reads the deals of generation 3, whose status appears only with an error',
    () => named('GET', '/api/v3/deals', { query: { fields: 'id' } }),
    succeeds(
      all(
        object({ deals: that('a list', Array.isArray), next_page: optional(() => []) }),
        that('an object without status', (value) => isObject(value) && !('status' in value)),
      ),
    ),
  ),
];

/** What a partner gets when they do something wrong, and what changes between versions. */
export const errors: readonly Step[] = [...authentication, ...plain, ...types, ...deprecated, ...versions];
