import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Codec } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { purchaseEvents } from './purchase.events.js';

const PAYMENT = { amount: null, currency: null, last4: null, gateway: null, reference: null };

describe('a purchase’s event of an earlier build', () => {
  it.each([
    ['purchase-charged', { ...PAYMENT, lost_attempts: null }],
    ['purchase-declined', { ...PAYMENT, lost_attempts: null }],
    ['purchase-voided', { ...PAYMENT, lost_attempts: null }],
    ['purchase-money-returned', PAYMENT],
  ])('D7: %s.v1 has null for the payment that it did not hold', (name, unsaid) => {
    const sample = readFileSync(resolve('test/golden', `${name}.v1.json`), 'utf8');
    const old = JSON.parse(sample) as Recorded;
    const { type, data } = new Codec([purchaseEvents]).decode(old);
    expect([type, data]).toEqual([`${name}.v2`, { ...old.data, ...unsaid }]);
  });
});
