import { DomainError } from '#kernel';
import { NOT_SOLD } from './inventory/units.js';
import type { DealDetails } from './ports/deal-details.js';

const FREE: Readonly<Record<string, string>> = {
  affiliate: 'it is an affiliate deal, which is free to claim',
  'card-linked': 'it is a card-linked deal, which is linked to a card and not bought',
};

/** Awaits a sale; if the deal does not sell, the refusal gets the reason. */
export async function explainNotSold<T>(deals: DealDetails, dealId: string, selling: Promise<T>): Promise<T> {
  try {
    return await selling;
  } catch (error) {
    throw error instanceof DomainError ? await addDealState(error, deals, dealId) : error;
  }
}

/** Adds the deal's workflow state to a refusal of a deal that does not sell: the inventory does not know these states. */
export async function addDealState(error: DomainError, deals: DealDetails, dealId = ''): Promise<DomainError> {
  if (error.details['off_sale'] !== true) return error;
  const deal = await deals.find(dealId);
  if (deal === undefined) return error;
  const why = FREE[deal.type] ?? `it is ${deal.state}`;
  return new DomainError(error.code, `${NOT_SOLD}: ${why}`, error.details);
}
