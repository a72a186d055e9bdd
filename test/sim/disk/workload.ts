import { buyFull, cardOf, GOOD_CARD, personOf } from '../../support/cards.js';
import { orderOf, rebuild, untilState } from '../../support/rebuilding.js';
import type { Answer, RunningService, TestPartner } from '../../support/running-service.js';
import { type Fact, requestOf } from './facts.js';

const CONNECTIONS = 8;
/** One in so many rounds stores a card, and pays with one. */
const PAYS_EVERY = 4;

/** The shop of a recording: the same in all its processes. */
export interface Shop {
  readonly partner: TestPartner;
  /** What answers have told. */
  readonly facts: Fact[];
  rounds: number;
}

export async function openShop(service: RunningService): Promise<Shop> {
  const partner = await service.newPartner('acme');
  await service.newDeal('spa', { stock: 1_000_000 });
  return { partner, facts: [], rounds: 0 };
}

/** On several connections: users with keys of their own, purchases whose answers are kept, cards, charges. */
export async function trade(service: RunningService, shop: Shop, rounds: number): Promise<void> {
  const connection = async (): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) await oneRound(service, shop);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}

/** The same until the process is gone. */
export async function tradeUntilGone(service: RunningService, shop: Shop): Promise<void> {
  await trade(service, shop, Infinity).catch((error: unknown) => {
    if (error instanceof Unforeseen) throw error;
  });
}

/** An answer that is not a success. */
class Unforeseen extends Error {}

function good(answer: Answer): Answer {
  if (answer.status !== 200) throw new Unforeseen(`${answer.status} ${answer.text}`);
  return answer;
}

async function oneRound(service: RunningService, shop: Shop): Promise<void> {
  const { partner, facts } = shop;
  const { key, id: partnerId } = partner;
  const round = shop.rounds++;
  const repeatable = async (method: string, path: string, name: string, body: object): Promise<Answer> => {
    const answer = good(await service.ask(method, path, { key, body, headers: { 'idempotency-key': name } }));
    facts.push({ kind: 'kept answer', request: requestOf(answer), credential: `partner:${partnerId}`, key: name });
    return answer;
  };

  const user = good(await service.ask('POST', '/users', { key, body: { email: `user-${round}@example.org` } }));
  const user_id: string = user.body.user_id;
  facts.push({ kind: 'person', request: requestOf(user), id: user_id });
  const held = await repeatable('POST', '/purchases/reserve', `hold-${round}`, { deal_id: 'spa', num_bought: 2 });
  const { id } = held.body.purchase as { readonly id: string };
  await repeatable('PUT', `/purchases/${id}/claim`, `claim-${round}`, { user_id });
  if (round % PAYS_EVERY !== 0) return;

  const card = good(await service.ask('POST', '/credit_cards', { key, body: { user_id, ...cardOf(GOOD_CARD) } }));
  facts.push({ kind: 'card', request: requestOf(card), id: card.body.credit_card_id });
  const payer = personOf(`payer-${round}@example.org`);
  good(await buyFull(service, partner, { deal_id: 'spa', quantity: 1, credit_card: cardOf(GOOD_CARD), user: payer }));
}

/** Long texts, until the log's WAL is long enough for a checkpoint. */
export async function growLog(service: RunningService, deals: number): Promise<void> {
  const text = 'a long text '.repeat(1_500);
  for (let index = 0; index < deals; index += 1) {
    const texts = { description1: text, fine_print: text, fine_print_legalese: text, instructions: text };
    await service.newDeal(`long-${index}`, texts);
  }
}

/** A view is built anew, takes the place of its old generation, and that one is dropped. */
export async function turnOver(service: RunningService, view: string): Promise<void> {
  const number = await rebuild(service, view);
  await untilState(service, view, number, 'ready');
  await orderOf(service, view, number, 'promote');
  await orderOf(service, view, number - 1, 'drop');
}
