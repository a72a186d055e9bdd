import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { buy } from '../../support/buying.js';
import { storeCard } from '../../support/cards.js';
import type { Answer, AskOptions, Json, RunningService, TestPartner } from '../../support/running-service.js';

/** A key that can be rotated. */
export type RotatedKey = 'master' | 'data' | 'urls';

/** How often a patient partner sends a request. */
const MOST_TRIES = 60;

/** A request whose first answer is kept, and that answer. */
interface Kept {
  readonly send: () => Promise<Answer>;
  readonly first: Answer;
}

/** What a partner holds in their hand: links, requests that they may repeat, answers, users and their cards. */
export class ShopUnderRotation {
  readonly #links: string[] = [];
  readonly #kept: Kept[] = [];
  readonly #answers: { readonly path: string; readonly asOf: string; readonly text: string }[] = [];
  readonly #users: { readonly id: string; readonly email: string; readonly card: string }[] = [];
  /** What went wrong under load. */
  readonly faults: string[] = [];
  sold = 0;
  #acme: TestPartner | undefined;
  #made = 0;

  /**
   * @param service the service that runs now: another one after each start
   * @param isPatient repeats what gets a 503, as partners do: a stand-in for MongoDB may be too slow for reads of what was written
   */
  constructor(
    private readonly service: () => RunningService,
    private readonly isPatient = false,
  ) {}

  get #key(): string {
    return this.#acme?.key ?? '';
  }

  async open(): Promise<void> {
    this.#acme = await this.service().newPartner('acme');
    await this.service().newDeal('lunch', { stock: 100_000 });
    for (let n = 0; n < 6; n += 1) await this.#newBuyer();
  }

  /** Rotates a key, and waits until that has ended. */
  async rotate(key: RotatedKey): Promise<void> {
    await this.begin(key);
    await this.ended();
  }

  async begin(key: RotatedKey): Promise<void> {
    await this.service().operate('POST', `/keys/${key}/rotate`, { reason: 'once a year' });
  }

  /** Waits until no key is rotated. */
  async ended(): Promise<void> {
    for (let looks = 0; (await this.keys()).some(({ rotation }) => rotation !== null); looks += 1) {
      if (looks > 1_000) throw new Error(`the rotation does not end: ${JSON.stringify(await this.keys())}`);
      await pause(50);
    }
  }

  async keys(): Promise<readonly Json[]> {
    return (await this.service().operate('GET', '/keys')).keys;
  }

  async idOf(key: RotatedKey): Promise<string> {
    return (await this.keys()).find((each) => each.key === key).id;
  }

  /** Buys, repeats, prints and redeems until the signal aborts. */
  async load(signal: AbortSignal): Promise<void> {
    // Of a user and a deal, one purchase at a time is charged.
    const one = async (nth: number): Promise<void> => {
      while (!signal.aborted && this.faults.length < 3)
        await this.#turn(nth).catch((error: unknown) => this.faults.push(String(error)));
    };
    await Promise.all([one(0), one(1), one(2), one(3)]);
  }

  /** Everything from before still holds. */
  async holds(): Promise<void> {
    expect(this.faults).toEqual([]);
    for (const link of this.#links) expect([link, (await this.#open(link)).status]).toEqual([link, 200]);
    for (const { send, first } of this.#kept) {
      const again = await send();
      expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
        first.status,
        first.text,
        'true',
      ]);
    }
    const { service } = this;
    for (const { path, asOf, text } of this.#answers) {
      const query = `as_of=${encodeURIComponent(asOf)}`;
      const then = await service().ask('GET', `/auditors${path}?${query}`, { token: service().auditorToken });
      expect([path, then.status, then.text]).toEqual([path, 200, text]);
    }
    for (const { id, email, card } of this.#users) {
      const shown = await service().ask('GET', `/operators/users/${id}`, { token: service().operatorToken });
      expect([shown.status, shown.text.includes(email)]).toEqual([200, true]);
      const paid = await this.#pay(id, card);
      expect([paid.status, paid.text.includes('fulfilled')]).toEqual([200, true]);
    }
    await this.#newBuyer();
  }

  async #newBuyer(): Promise<void> {
    const email = `buyer-${(this.#made += 1)}@example.com`;
    const id = await this.service().newUser(this.#key, email);
    this.#users.push({ id, email, card: await storeCard(this.service(), this.#key, id) });
    const { id: purchase, coupons } = await buy(this.service(), this.#key, 'lunch', id);
    this.#links.push(coupons[0].print_url, coupons[0].qr_code_url);
    const path = `/purchases/${purchase}`;
    const answer = await this.#ask('GET', path);
    this.#answers.push({ path, asOf: answer.headers['holdfast-as-of'] ?? '', text: answer.text });
  }

  async #turn(nth: number): Promise<void> {
    const buyer = this.#users[nth];
    if (buyer === undefined) return;
    const key = randomUUID();
    const send = (): Promise<Answer> => this.#pay(buyer.id, buyer.card, key);
    const first = await send();
    if (first.status !== 200) throw new Error(`POST /purchases: ${first.status} ${first.text}`);
    this.sold += 1;
    const again = await send();
    if (again.text !== first.text) throw new Error(`a repeat was answered ${again.status} ${again.text}`);
    const { coupons } = (await this.#ask('GET', `/purchases/${first.body.purchase_id ?? first.body.purchase.id}`)).body
      .purchase;
    const page = await this.#open(coupons[0].print_url);
    if (page.status !== 200) throw new Error(`${coupons[0].print_url}: ${page.status}`);
    const redeemed = await this.#ask('PUT', `/coupons/${coupons[0].id}/redeem`);
    if (redeemed.status !== 200) throw new Error(`redeem: ${redeemed.status} ${redeemed.text}`);
    if (this.sold % 10 !== 0) return;
    this.#kept.push({ send, first });
    this.#links.push(coupons[0].print_url);
  }

  #pay(user_id: string, credit_card_id: string, key = randomUUID()): Promise<Answer> {
    const body = { deal_id: 'lunch', quantity: 1, user_id, credit_card_id, expected_price_per_unit: 1000 };
    return this.#ask('POST', '/purchases', { body, headers: { 'idempotency-key': key } });
  }

  async #ask(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.service().ask(method, path, { key: this.#key, ...options });
      if (!this.isPatient || answer.status !== 503 || tries === MOST_TRIES) return answer;
      await pause(1_000);
    }
  }

  /** Opens a link without a key, as its owner does. */
  #open(link: string): Promise<Answer> {
    return this.service().ask('GET', new URL(link).pathname);
  }
}
