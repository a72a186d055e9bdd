import type { PublicUrl } from '#http';
import type { Shape } from './deal-items.js';
import { presentDeal } from './deal.present.js';

/** The v1 shape. */
export function shapeV1({ href: publicUrl }: PublicUrl): Shape {
  return { name: 'v1', present: (deal) => presentDeal({ ...deal, publicUrl }) };
}

/** What the answer of every list but v3's begins with. */
export const SUCCESSFUL = { status: 'success' } as const;
