import { all, anything, type Check, exactLength, exactly, listOf, mentions, object } from './checks.js';
import { type Known } from './known.js';
import { cardLink, itemWith } from './shapes.js';
import { keyed, open, refused, type Step, step, succeeds, success } from './step.js';

function linksThat(...checks: readonly Check[]): Check {
  return success({ card_links: all(listOf(cardLink()), ...checks) });
}

const inState = (state: string): Check => listOf(object({ state: exactly(state) }, 'open'));

function dealIds({ world }: Known): readonly string[] {
  return world.deals.cardLinked.map(({ id }) => id);
}

function list(does: string, user: string, filter: string | undefined, links: (known: Known) => Check): Step {
  return step(
    '4.13',
    does,
    (known) => keyed('GET', `/users/${known.text(user)}/card_links`, { query: filter === undefined ? {} : { filter } }),
    (known) => succeeds(links(known)),
  );
}

/** A link of Ada changes its state. */
function change(does: string, to: 'link' | 'unlink', state: string): Step {
  return step(
    '3.3',
    does,
    (known) => keyed('PUT', `/card_links/${known.text('link')}/${to}`),
    (known) =>
      succeeds(
        success({
          card_link: cardLink({
            id: exactly(known.text('link')),
            user_id: exactly(known.text('ada')),
            state: exactly(state),
          }),
        }),
      ),
  );
}

/** 4.13: the transaction at the merchant. */
function transaction(known: Known, reference: string, own: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    transaction_amount: 5000,
    transaction_date: known.now.date.toISOString().slice(0, 19),
    transaction_reference: reference,
    max_redemption: true,
    ...own,
  };
}

function redeem(does: string, link: string, json: (known: Known) => unknown, promises = succeeds(success())): Step {
  return step(
    '4.13',
    does,
    (known) => keyed('PUT', `/card_links/${known.text(link)}/redeem`, { json: json(known) }),
    promises,
  );
}

const linking: readonly Step[] = [
  step(
    '4.13',
    'links a user to a deal',
    (known) =>
      keyed('POST', '/card_links', {
        json: { user_id: known.text('ada'), deal_id: known.world.deals.cardLinked[0].id },
      }),
    (known) =>
      succeeds(
        success({
          card_link: cardLink({
            deal_id: exactly(known.world.deals.cardLinked[0].id),
            user_id: exactly(known.text('ada')),
            state: exactly('linked'),
          }),
        }),
      ),
    { keep: { link: 'card_link.id' } },
  ),
  step(
    '4.13',
    'links a user to several deals, as text',
    (known) =>
      keyed('POST', '/card_links', { json: { user_id: known.text('ben'), deal_ids: dealIds(known).join(',') } }),
    succeeds(anything),
  ),
  list("lists Ben's links", 'ben', undefined, (known) =>
    linksThat(...dealIds(known).map((deal_id) => itemWith({ deal_id, state: 'linked' }))),
  ),
  step(
    '4.13',
    'links a user to several deals, as an array',
    (known) => keyed('POST', '/card_links', { json: { user_id: known.text('cleo'), deal_ids: dealIds(known) } }),
    succeeds(anything),
  ),
  list("lists Cleo's links", 'cleo', undefined, (known) =>
    linksThat(...dealIds(known).map((deal_id) => itemWith({ deal_id, state: 'linked' }))),
  ),
  step(
    '4.13',
    'links a user to several deals, as deal_ids[] in the query',
    (known) => keyed('POST', '/card_links', { query: { user_id: known.text('dora'), 'deal_ids[]': dealIds(known) } }),
    open,
  ),
  step(
    '4.13',
    'links the same user and deal again; the answer stays open',
    (known) =>
      keyed('POST', '/card_links', {
        json: { user_id: known.text('ada'), deal_id: known.world.deals.cardLinked[0].id },
      }),
    open,
  ),
  step(
    '4.13',
    'links without a deal',
    (known) => keyed('POST', '/card_links', { json: { user_id: known.text('ada') } }),
    refused(),
  ),
  step(
    '4.13',
    'links without a user',
    ({ world }) => keyed('POST', '/card_links', { json: { deal_id: world.deals.cardLinked[0].id } }),
    refused(),
  ),
  step(
    '4.13',
    'links an unknown deal',
    (known) => keyed('POST', '/card_links', { json: { user_id: known.text('ada'), deal_id: 'no-such-deal' } }),
    refused(),
  ),
];

const transitions: readonly Step[] = [
  list('lists linked ones', 'ada', 'linked', (known) =>
    linksThat(inState('linked'), itemWith({ id: known.text('link') })),
  ),
  change('unlinks', 'unlink', 'unlinked'),
  list('lists unlinked ones', 'ada', 'unlinked', (known) =>
    linksThat(inState('unlinked'), itemWith({ id: known.text('link') })),
  ),
  change('links again', 'link', 'linked'),
  redeem('reports a redemption that is not the last', 'link', (known) =>
    transaction(known, 'redemption-1', { max_redemption: false }),
  ),
  step(
    '3.3',
    'lists the link, whose state stays open',
    (known) => keyed('GET', `/users/${known.text('ada')}/card_links`),
    (known) => succeeds(linksThat(itemWith({ id: known.text('link') }))),
  ),
  step(
    '4.13',
    'links a user to a second deal',
    (known) =>
      keyed('POST', '/card_links', {
        json: { user_id: known.text('ada'), deal_id: known.world.deals.cardLinked[1].id },
      }),
    succeeds(success({ card_link: cardLink({ state: exactly('linked') }) })),
    { keep: { 'second link': 'card_link.id' } },
  ),
  redeem('reports the last redemption, with a zone offset', 'second link', (known) =>
    transaction(known, 'redemption-2', { transaction_date: `${known.now.date.toISOString().slice(0, 19)}+00:00` }),
  ),
  list('lists fulfilled ones', 'ada', 'fulfilled', (known) =>
    linksThat(inState('fulfilled'), itemWith({ id: known.text('second link') })),
  ),
  list('lists linked and fulfilled ones', 'ada', 'linked,fulfilled', (known) =>
    linksThat(itemWith({ id: known.text('second link') })),
  ),
  redeem(
    'reports a redemption with a date that is none',
    'link',
    (known) => transaction(known, 'redemption-3', { transaction_date: 'yesterday' }),
    refused(),
  ),
  step(
    '4.13',
    'redeems an unknown link',
    (known) => keyed('PUT', '/card_links/no-such-link/redeem', { json: transaction(known, 'redemption-4') }),
    refused(),
  ),
  step('4.13', 'unlinks an unknown link', () => keyed('PUT', '/card_links/no-such-link/unlink'), refused()),
  step(
    '4.1',
    'counts the links',
    (known) => keyed('GET', `/users/${known.text('ben')}/card_links`, { query: { count: 'true' } }),
    succeeds(mentions(3)),
  ),
  step(
    '4.1',
    'lists two links a page',
    (known) => keyed('GET', `/users/${known.text('ben')}/card_links`, { query: { per_page: '2', page: '1' } }),
    succeeds(linksThat(exactLength(2))),
  ),
];

/** The partner links users to card-linked deals. */
export const cardLinks: readonly Step[] = [...linking, ...transitions];
