/** Deal types (interface 2.2, ruling C2). The first two are prepaid: only those can be bought. */
export const DEAL_TYPES = ['daily-deal', 'on-going', 'affiliate', 'card-linked'] as const;
export type DealType = (typeof DEAL_TYPES)[number];

export function isPrepaid(type: DealType): boolean {
  return type === 'daily-deal' || type === 'on-going';
}
