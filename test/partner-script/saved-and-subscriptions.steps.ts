import { all, type Check, exactLength, exactly, lacks, listOf, mentions } from './checks.js';
import { type Known } from './known.js';
import { itemWith, savedDeal, subscription } from './shapes.js';
import { keyed, refused, type Step, step, succeeds, success } from './step.js';
import { EMAIL } from './users.steps.js';

function savedThat(...checks: readonly Check[]): Check {
  return success({ saved_deals: all(listOf(savedDeal()), ...checks) });
}

function save(deal: (known: Known) => string, name: string): Step {
  return step(
    '4.11',
    `saves ${name}`,
    (known) => keyed('POST', '/saved_deals', { json: { deal_id: deal(known), user_id: known.text('ada') } }),
    (known) =>
      succeeds(
        success({
          saved_deal: savedDeal({ deal_id: exactly(deal(known)), user_id: exactly(known.text('ada')) }),
        }),
      ),
    { keep: { [name]: 'saved_deal.id' } },
  );
}

/** The partner saves deals for a user. */
export const savedDeals: readonly Step[] = [
  save(({ world }) => world.deals.daily.id, 'a daily deal'),
  save(({ world }) => world.deals.onGoing.id, 'an on-going deal'),
  step(
    '4.11',
    'lists saved deals',
    (known) => keyed('GET', `/users/${known.text('ada')}/saved_deals`),
    (known) =>
      succeeds(
        savedThat(
          exactLength(2),
          itemWith({ id: known.text('a daily deal'), deal_id: known.world.deals.daily.id }),
          itemWith({ id: known.text('an on-going deal'), deal_id: known.world.deals.onGoing.id }),
        ),
      ),
  ),
  step(
    '4.1',
    'counts saved deals',
    (known) => keyed('GET', `/users/${known.text('ada')}/saved_deals`, { query: { count: 'true' } }),
    succeeds(mentions(2)),
  ),
  step(
    '4.1',
    'lists one saved deal a page',
    (known) => keyed('GET', `/users/${known.text('ada')}/saved_deals`, { query: { per_page: '1' } }),
    succeeds(savedThat(exactLength(1))),
  ),
  step(
    '4.11',
    'removes a saved deal',
    (known) => keyed('DELETE', `/saved_deals/${known.text('a daily deal')}`),
    succeeds(success()),
  ),
  step(
    '4.11',
    'lists what is left',
    (known) => keyed('GET', `/users/${known.text('ada')}/saved_deals`),
    (known) => succeeds(savedThat(lacks(known.text('a daily deal')), exactLength(1))),
  ),
  step('4.11', 'removes an unknown saved deal', () => keyed('DELETE', '/saved_deals/no-such-saved-deal'), refused()),
  step(
    '4.11',
    'saves an unknown deal',
    (known) => keyed('POST', '/saved_deals', { json: { deal_id: 'no-such-deal', user_id: known.text('ada') } }),
    refused(),
  ),
  step(
    '4.11',
    'saves a deal for nobody',
    ({ world }) => keyed('POST', '/saved_deals', { json: { deal_id: world.deals.daily.id } }),
    refused(),
  ),
];

function subscriptionsThat(...checks: readonly Check[]): Check {
  return success({ subscriptions: all(listOf(subscription()), ...checks) });
}

function subscriptionOf(known: Known): string {
  return known.text('subscription');
}

function setStatus(status: 'active' | 'inactive'): Step {
  return step(
    '3.6',
    `sets the status ${status}`,
    (known) => keyed('PUT', `/subscriptions/${subscriptionOf(known)}`, { json: { status } }),
    (known) =>
      succeeds(
        success({ subscription: subscription({ id: exactly(subscriptionOf(known)), status: exactly(status) }) }),
      ),
  );
}

/** The partner subscribes a user to the emails of a region. */
export const subscriptions: readonly Step[] = [
  step(
    '4.12',
    'subscribes a user by zip code',
    (known) =>
      keyed('POST', `/users/${known.text('ben')}/subscriptions`, {
        json: { zip: Number(known.world.regions.home.zip) },
      }),
    (known) =>
      succeeds(
        success({
          subscription: subscription({
            user_id: exactly(known.text('ben')),
            region_id: exactly(known.world.regions.home.id),
            region_name: exactly(known.world.regions.home.name),
          }),
        }),
      ),
    { keep: { subscription: 'subscription.id' } },
  ),
  step(
    '4.12',
    'reads the subscription',
    (known) => keyed('GET', `/subscriptions/${subscriptionOf(known)}`),
    (known) => succeeds(success({ subscription: subscription({ id: exactly(subscriptionOf(known)) }) })),
  ),
  step(
    '4.12',
    'lists subscriptions by user id',
    (known) => keyed('GET', `/users/${known.text('ben')}/subscriptions`),
    (known) => succeeds(subscriptionsThat(itemWith({ id: subscriptionOf(known) }))),
    { keep: { "Ben's subscriptions": 'subscriptions.length' } },
  ),
  step(
    '4.12',
    'lists subscriptions by email',
    () => keyed('GET', `/users/${EMAIL.ben}/subscriptions`),
    (known) => succeeds(subscriptionsThat(itemWith({ id: subscriptionOf(known) }))),
  ),
  step(
    '4.1',
    'counts subscriptions',
    (known) => keyed('GET', `/users/${known.text('ben')}/subscriptions`, { query: { count: 'true' } }),
    (known) => succeeds(mentions(known.integer("Ben's subscriptions"))),
  ),
  setStatus('inactive'),
  step(
    '3.6',
    'reads the inactive subscription',
    (known) => keyed('GET', `/subscriptions/${subscriptionOf(known)}`),
    succeeds(success({ subscription: subscription({ status: exactly('inactive') }) })),
  ),
  setStatus('active'),
  step(
    '3.6',
    'sets a status that does not exist',
    (known) => keyed('PUT', `/subscriptions/${subscriptionOf(known)}`, { json: { status: 'asleep' } }),
    refused(),
  ),
  step('4.12', 'reads an unknown subscription', () => keyed('GET', '/subscriptions/no-such-subscription'), refused()),
  step(
    '4.12',
    'subscribes without a zip code',
    (known) => keyed('POST', `/users/${known.text('ben')}/subscriptions`, { json: {} }),
    refused(),
  ),
];
