import { z } from 'zod';
import { read, text, ValidationFailed } from '#http';
import { resaleEntries } from './resale.faults.js';

/** Which resales a reseller asks for. */
export const RESALES = z.object({
  transaction_reference: text('line').describe('The reference that you sent with the transaction.'),
});

/** @throws ValidationFailed in the words of a reseller's purchase, whose parameter it is */
export function readReference(parameters: Readonly<Record<string, unknown>>): string {
  const field = 'transaction_reference';
  if ((parameters[field] ?? '') === '') throw new ValidationFailed(resaleEntries([{ code: 'missing', field }], []));
  return read(RESALES, parameters, 'purchase')[field];
}
