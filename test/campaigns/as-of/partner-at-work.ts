import { recorded, type Recorded } from '../../support/answered.js';
import { buyFull, cardOf, GOOD_CARD } from '../../support/cards.js';
import type { Answer, Json, RunningService, TestPartner } from '../../support/running-service.js';

/** What a partner has made so far. */
interface Made {
  readonly purchases: string[];
  readonly coupons: string[];
  readonly resales: string[];
  readonly resoldCoupons: string[];
  readonly links: string[];
}

/** A random element. */
const some = <T>(of: readonly T[]): T | undefined => of[Math.floor(Math.random() * of.length)];

/** A partner that sells, changes and looks, many calls at a time, and records what it is answered about single things. */
export class PartnerAtWork {
  readonly answers: Recorded[] = [];
  /** The calls whose answers do not say as of when. */
  readonly without: string[] = [];
  /** Answers by status, for the campaign's words. */
  readonly statuses = new Map<number, number>();
  readonly #made: Made = { purchases: [], coupons: [], resales: [], resoldCoupons: [], links: [] };
  #references = 0;

  constructor(
    private readonly partner: TestPartner,
    private readonly basic: string,
    private readonly deals: readonly string[],
    private readonly users: readonly string[],
  ) {}

  /** Works until it has recorded so many answers in all. */
  async work(service: RunningService, until: number, workers: number): Promise<void> {
    const one = async (): Promise<void> => {
      while (this.answers.length < until) await this.#step(service);
    };
    await Promise.all(Array.from({ length: workers }, one));
  }

  async #step(service: RunningService): Promise<void> {
    const steps = [
      this.#reserve,
      this.#buy,
      this.#change,
      this.#resell,
      this.#link,
      this.#look,
      this.#look,
      this.#look,
    ];
    await some(steps)?.call(this, service);
  }

  readonly #ask = async (
    service: RunningService,
    method: string,
    path: string,
    body?: unknown,
    credential: object = { key: this.partner.key },
  ): Promise<Answer> => {
    const answer = await service.ask(method, path, { ...credential, body });
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    return answer;
  };

  #record(call: string, answer: Answer, then: string): void {
    if (answer.status !== 200) return;
    if (answer.headers['holdfast-as-of'] === undefined) this.without.push(call);
    else this.answers.push(recorded(call, answer, then));
  }

  async #reserve(service: RunningService): Promise<void> {
    const order = { deal_id: some(this.deals), num_bought: 1 + Math.floor(Math.random() * 3) };
    const held = await this.#ask(service, 'POST', '/purchases/reserve', order);
    if (held.status !== 200) return;
    const { id } = held.body.purchase;
    this.#record('reserve', held, `purchases/${id}`);
    this.#made.purchases.push(id);
    const chance = Math.random();
    if (chance < 0.15) return;
    if (chance < 0.3) {
      this.#record('release', await this.#ask(service, 'PUT', `/purchases/${id}/release`), `purchases/${id}`);
      return;
    }
    const claimed = await this.#ask(service, 'PUT', `/purchases/${id}/claim`, { user_id: some(this.users) });
    this.#record('claim', claimed, `purchases/${id}`);
    if (claimed.status === 200) this.#made.coupons.push(...claimed.body.purchase.coupons.map((each: Json) => each.id));
  }

  async #buy(service: RunningService): Promise<void> {
    const order = { deal_id: some(this.deals) ?? '', quantity: 1, user_id: some(this.users) ?? '' };
    const bought = await buyFull(service, this.partner, { ...order, credit_card: cardOf(GOOD_CARD) });
    if (bought.status !== 200) return;
    const { purchase } = bought.body;
    this.#record('full', bought, `purchases/${purchase.id}`);
    this.#made.purchases.push(purchase.id);
    this.#made.coupons.push(...purchase.coupons.map((each: Json) => each.id));
  }

  async #resell(service: RunningService): Promise<void> {
    const { basic } = this;
    const deal_id = some(this.deals);
    const order = {
      ...{ deal_id, quantity: 1, transaction_reference: `order-${(this.#references += 1)}`, transaction_amount: 900 },
      ...{ transaction_date: new Date().toISOString(), first_name: 'Zoë', last_name: 'Lee' },
    };
    const answer = await this.#ask(service, 'POST', '/api/v3/resellers/purchases', order, { basic });
    if (answer.status !== 200) return;
    this.#record('resale', answer, `purchases/${answer.body.id}?shape=reseller`);
    this.#made.resales.push(answer.body.id);
    this.#made.resoldCoupons.push(answer.body.coupons[0].id);
  }

  async #link(service: RunningService): Promise<void> {
    const known = some(this.#made.links);
    if (known === undefined || Math.random() < 0.5) {
      const answer = await this.#ask(service, 'POST', '/card_links', { deal_id: 'offer', user_id: some(this.users) });
      if (answer.status !== 200) return;
      this.#record('link', answer, `card_links/${answer.body.card_link.id}`);
      this.#made.links.push(answer.body.card_link.id);
      return;
    }
    const verb = some(['link', 'unlink']);
    this.#record(`${verb}`, await this.#ask(service, 'PUT', `/card_links/${known}/${verb}`), `card_links/${known}`);
  }

  async #change(service: RunningService): Promise<void> {
    const coupon = some(this.#made.coupons);
    const user = some(this.users);
    const changes = [
      () => this.#ask(service, 'PUT', `/coupons/${coupon}/redeem`),
      () => this.#ask(service, 'PUT', `/coupons/${some(this.#made.resoldCoupons)}/redeem`),
      () => this.#operate(service, 'POST', `/coupons/${coupon}/cancel`, { reason: 'rain' }),
      () => this.#operate(service, 'POST', `/coupons/${coupon}/reissue`, { reason: 'lost' }),
      () => this.#operate(service, 'PUT', `/deals/${some(this.deals)}`, { title: `A day ${Math.random()}` }),
      () => this.#operate(service, 'PUT', '/regions/boston', { name: `Boston ${Math.random()}` }),
    ];
    if (Math.random() < 0.2) {
      const first_name = `Ann ${Math.random()}`;
      this.#record('change', await this.#ask(service, 'PUT', `/users/${user}`, { first_name }), `users/${user}`);
      return;
    }
    await some(changes)?.();
  }

  #operate(service: RunningService, method: string, path: string, body: unknown): Promise<Answer> {
    return this.#ask(service, method, `/operators${path}`, body, { token: service.operatorToken });
  }

  async #look(service: RunningService): Promise<void> {
    const { purchases, coupons, resales, resoldCoupons } = this.#made;
    const looks: readonly (readonly [string, string | undefined, string, object?])[] = [
      ['/purchases/', some(purchases), 'purchases/#'],
      ['/coupons/', some(coupons), 'coupons/#'],
      ['/v1/deals/', some(this.deals), 'deals/#'],
      ['/users/', some(this.users), 'users/#'],
      ['/purchases/', some(resales), 'purchases/#'],
      ['/api/v3/coupons/', some(resoldCoupons), 'coupons/#?shape=reseller', { basic: this.basic }],
    ];
    const [path, id, then, credential] = some(looks) ?? [];
    if (path === undefined || id === undefined || then === undefined) return;
    this.#record(
      `GET ${path}`,
      await this.#ask(service, 'GET', path + id, undefined, credential),
      then.replace('#', id),
    );
  }
}
