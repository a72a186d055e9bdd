import { all, type Check, exactLength, filled, isObject, listOf, mentions, that } from './checks.js';
import { type Known } from './known.js';
import { creditCard, itemWith } from './shapes.js';
import { keyed, refused, type Step, step, succeeds, success } from './step.js';
import { type Card } from './world.js';

const stored = succeeds(success({ credit_card_id: filled }));

/** 4.10: the parameters of a card to store. */
function parameters(card: Card): Readonly<Record<string, unknown>> {
  return {
    number: card.number,
    verification_value: card.verificationValue,
    month: card.month,
    year: card.year,
    zip_code: card.zipCode,
  };
}

/** The partner stores a card of one of their users. */
function store(does: string, user: string, card: (known: Known) => Card, name: string): Step {
  return step(
    '4.10',
    does,
    (known) => keyed('POST', '/credit_cards', { json: { user_id: known.text(user), ...parameters(card(known)) } }),
    stored,
    { keep: { [name]: 'credit_card_id' } },
  );
}

/** 2.8: only trailing digits of the number are visible. */
function masked(number: string): Check {
  return that(`${number} with only trailing digits visible`, (value) => {
    const digits = isObject(value) ? String(value['number']).replace(/\D/g, '') : '';
    return digits !== '' && digits.length < number.length && number.endsWith(digits);
  });
}

function cardsThat(...checks: readonly Check[]): Check {
  return success({ credit_cards: all(listOf(creditCard()), ...checks) });
}

/** The partner stores cards. Later steps use them by their names. */
export const cards: readonly Step[] = [
  store('stores a card', 'ada', ({ world }) => world.cards.good, "Ada's card"),
  step(
    '4.10',
    'lists the only card, which is the default',
    (known) => keyed('GET', '/credit_cards', { query: { user_id: known.text('ada') } }),
    (known) =>
      succeeds(
        cardsThat(
          itemWith({ id: known.text("Ada's card"), primary: true, deleted: false }),
          listOf(masked(known.world.cards.good.number)),
        ),
      ),
  ),
  store('stores another card', 'ada', ({ world }) => world.cards.other, "Ada's other card"),
  step(
    '4.10',
    'makes the other card the default',
    (known) => keyed('PUT', `/credit_cards/${known.text("Ada's other card")}/default`),
    succeeds(success()),
  ),
  step(
    '4.10',
    'lists both cards',
    (known) => keyed('GET', '/credit_cards', { query: { user_id: known.text('ada') } }),
    (known) =>
      succeeds(
        cardsThat(
          itemWith({ id: known.text("Ada's card"), primary: false }),
          itemWith({ id: known.text("Ada's other card"), primary: true }),
        ),
      ),
  ),
  step(
    '4.10',
    'makes the first card the default again',
    (known) => keyed('PUT', `/credit_cards/${known.text("Ada's card")}/default`),
    succeeds(success()),
  ),
  step(
    '4.1',
    'counts the cards',
    (known) => keyed('GET', '/credit_cards', { query: { user_id: known.text('ada'), count: 'true' } }),
    succeeds(mentions(2)),
  ),
  step(
    '4.1',
    'lists one card a page',
    (known) => keyed('GET', '/credit_cards', { query: { user_id: known.text('ada'), per_page: '1', page: '2' } }),
    succeeds(cardsThat(exactLength(1))),
  ),
  store('stores a card of a second user', 'ben', ({ world }) => world.cards.good, "Ben's card"),
  store('stores a card that will be declined', 'cleo', ({ world }) => world.cards.declined, 'declined card'),
  step('4.10', 'lists cards without a user', () => keyed('GET', '/credit_cards'), refused()),
  step(
    '4.10',
    'stores a number of 15 digits',
    (known) =>
      keyed('POST', '/credit_cards', {
        json: {
          user_id: known.text('ada'),
          ...parameters({ ...known.world.cards.good, number: known.world.cards.good.number.slice(1) }),
        },
      }),
    refused(),
  ),
  step(
    '4.10',
    'stores a card of month 13',
    (known) =>
      keyed('POST', '/credit_cards', {
        json: { user_id: known.text('ada'), ...parameters({ ...known.world.cards.good, month: 13 }) },
      }),
    refused(),
  ),
  step(
    '4.10',
    'stores a card of an unknown user',
    ({ world }) =>
      keyed('POST', '/credit_cards', { json: { user_id: 'no-such-user', ...parameters(world.cards.good) } }),
    refused(),
  ),
  step(
    '4.10',
    'makes an unknown card the default',
    () => keyed('PUT', '/credit_cards/no-such-card/default'),
    refused(),
  ),
];
