import { deal } from '#catalogue/model';
import type { Writer } from '#eventsourcing';
import { unknownBatch } from './batch.decider.js';
import type { BatchFault, NamedDeal } from './batch.faults.js';
import type { BatchRow } from './batch.row.js';

/** A partner's own batch. @throws DomainError not_found for an unknown one and another partner's (rulings A5, F1) */
export function ownBatch(row: BatchRow | undefined, partnerId: string): BatchRow {
  if (row?.partner_id !== partnerId) throw unknownBatch();
  return row;
}

/** What is wrong with the deal that a caller names to guard a batch (interface 7.4). */
export async function guardFaults(
  writer: Writer,
  { deal_id }: Pick<BatchRow, 'deal_id'>,
  named: NamedDeal,
): Promise<readonly BatchFault[]> {
  if (typeof named === 'object') return [{ field: 'deal_id', code: named.code }];
  if (named === deal_id) return [];
  const code = (await writer.read(deal, named)) === null ? 'unknown' : 'of_another';
  return [{ field: 'deal_id', code }];
}
