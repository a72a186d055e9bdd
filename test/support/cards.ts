import type { Answer, Json, RunningService, TestPartner } from './running-service.js';

/** Cards of the sandbox gateway (ruling D8). */
export const GOOD_CARD = '4242424242424242';
export const DECLINED_CARD = '4000000000000002';
export const NO_FUNDS_CARD = '4000000000009995';
/** Gets no answer until the charge is repeated. */
export const SILENT_CARD = '4000000000000119';
/** Is charged, but the first answer is lost. */
export const LOST_ANSWER_CARD = '4000000000000259';

/** A card as a partner sends it. */
export function cardOf(number: string): Json {
  return { number, verification_value: '123', month: '12', year: '2035', zip_code: '02114' };
}

/** A user as a full purchase sends them. */
export function personOf(email: string): Json {
  return { email, password: 'a secret', password_confirmation: 'a secret', first_name: 'Ann', last_name: 'Lee' };
}

/** Buys in one call with a new card, and returns any answer. */
export function buyFull(service: RunningService, { key }: TestPartner, body: Json): Promise<Answer> {
  return service.ask('POST', '/v1/purchases/full.json', { key, body });
}

/** Stores a card, and expects success. */
export async function storeCard(
  service: RunningService,
  key: string,
  user_id: string,
  number = GOOD_CARD,
): Promise<string> {
  const answer = await service.ask('POST', '/credit_cards', { key, body: { user_id, ...cardOf(number) } });
  if (answer.status !== 200) throw new Error(`POST /credit_cards: ${answer.status} ${answer.text}`);
  return answer.body.credit_card_id;
}
