import type { Answer, Json, RunningService } from '../../support/running-service.js';

/** A successful purchase. */
export interface Purchase {
  readonly id: string;
  readonly deal: string;
  readonly user: string;
  readonly quantity: number;
  readonly coupons: readonly string[];
}

/** Every success that callers received. */
export interface Answers {
  readonly purchases: Purchase[];
  readonly redeemed: string[];
  readonly released: string[];
}

export function noAnswers(): Answers {
  return { purchases: [], redeemed: [], released: [] };
}

export interface LoadOptions {
  readonly key: string;
  readonly deals: readonly string[];
  readonly users: readonly string[];
  readonly connections: number;
}

/** Thrown for any answer except success and the refusals that the rules foresee. */
class Unforeseen extends Error {}

/**
 * Reserves, claims, redeems and releases on many connections until the service goes away; adds each success to `said` in the turn
 * in which it arrives.
 */
export async function loadUntilGone(service: RunningService, answers: Answers, options: LoadOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.connections }, () => oneConnection(service, answers, options)));
}

async function oneConnection(service: RunningService, answers: Answers, options: LoadOptions): Promise<void> {
  try {
    for (;;) await oneSale(service, answers, options);
  } catch (error) {
    if (error instanceof Unforeseen) throw error;
    // The connection broke: the service is gone.
  }
}

async function oneSale(service: RunningService, answers: Answers, { key, deals, users }: LoadOptions): Promise<void> {
  const [deal, user, quantity] = [any(deals), any(users), 1 + Math.floor(Math.random() * 3)];
  const held = await service.ask('POST', '/purchases/reserve', { key, body: { deal_id: deal, num_bought: quantity } });
  if (!granted(held)) return;
  const id: string = held.body.purchase.id;
  if (Math.random() < 0.2) {
    if (granted(await service.ask('PUT', `/purchases/${id}/release`, { key }))) answers.released.push(id);
    return;
  }
  const claimed = await service.ask('PUT', `/purchases/${id}/claim`, { key, body: { user_id: user } });
  if (!granted(claimed)) return;
  const coupons = (claimed.body.purchase.coupons as Json[]).map((coupon) => coupon.id as string);
  answers.purchases.push({ id, deal, user, quantity, coupons });
  if (Math.random() < 0.5) await redeemTwice(service, answers, key, any(coupons));
}

/** Two callers at once: one of them wins. */
async function redeemTwice(service: RunningService, answers: Answers, key: string, coupon: string): Promise<void> {
  const redeem = async (): Promise<void> => {
    if (granted(await service.ask('PUT', `/coupons/${coupon}/redeem`, { key }))) answers.redeemed.push(coupon);
  };
  await Promise.all([redeem(), redeem()]);
}

function granted({ status, text, body }: Answer): boolean {
  if (status === 200) return true;
  if (status === 422 && ['cannot_fufill', 'redeem_failed'].includes(body.error_type)) return false;
  throw new Unforeseen(`${status} ${text}`);
}

function any<T>(of: readonly T[]): T {
  const chosen = of[Math.floor(Math.random() * of.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}
