import type { FastifyReply } from 'fastify';
import { type PublicUrl, sendPage } from '#http';
import type { DealItems, Shape } from './deal-items.js';
import { presentDeal } from './deal.present.js';
import type { FoundDeals } from './deal.queries.js';

/** How a list of deals is answered. */
export interface DealList {
  readonly items: DealItems;
  readonly shape: Shape;
  /** The fields of the answer before its deals or their number. */
  readonly before: object;
  /** The URL of the next page; called only if there is one. */
  readonly next: () => string;
}

/**
 * The answer of a list of deals: a page, or their number.
 * @throws DomainError page_too_large
 */
export async function answerDeals(
  found: FoundDeals | number,
  reply: FastifyReply,
  { items, shape, before, next }: DealList,
): Promise<object> {
  if (typeof found === 'number') return { ...before, count: found };
  const deals = await items.of(found, shape);
  return sendPage(reply, { before, name: 'deals', items: deals, after: found.more ? { next_page: next() } : {} });
}

/** The v1 shape. */
export function shapeV1({ href: publicUrl }: PublicUrl): Shape {
  return { name: 'v1', present: (deal) => presentDeal({ ...deal, publicUrl }) };
}

/** What the answer of every list but v3's begins with. */
export const SUCCESSFUL = { status: 'success' } as const;
