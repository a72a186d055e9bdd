import { describe, expect, it } from '@jest/globals';
import type { Act } from '../workload/history.js';
import { act, type MadeUpAnswer } from './made-up-acts.js';
import { madeUpLog } from './made-up-log.js';
import { checkResales } from './resales.js';

const DONE: MadeUpAnswer = { status: 200, body: { id: 'p' } };

describe('the content of a reference', () => {
  const data = { purchase_id: 'p', quantity: 1, amount: 9, deal: { id: 'spa' } };
  const log = madeUpLog(['purchase-p', 'purchase-resold.v1', data]);
  const sent = (more: object = {}, answer: MadeUpAnswer = DONE): Act =>
    act({ type: 'resell', deal: 'spa', quantity: 1, amount: 9, reference: 'r', content: 'c', ...more }, answer);

  it.each<readonly [string, readonly Act[], boolean]>([
    ['is what was sent, however often', [sent(), sent()], true],
    ['is not what was refused or lost', [sent(), sent({ content: 'd', amount: 8 }, 'lost')], true],
    ['is not of another quantity', [sent({ quantity: 2 })], false],
    ['is not of another amount', [sent({ amount: 8 })], false],
    ['is not of another deal', [sent({ deal: 'ski' })], false],
    ['is not of another buyer', [sent(), sent({ content: 'd' })], false],
  ])('%s', (_, acts, isSo) => {
    const check = (): void => checkResales(log, acts);
    if (isSo) expect(check).not.toThrow();
    else expect(check).toThrow('a reference has one content');
  });
});
