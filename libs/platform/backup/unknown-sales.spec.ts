import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { AnswerSeal, type EventLogReader, Keyring } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { readConfig } from '../config.js';
import { type Restored, unknownSales } from './unknown-sales.js';

const keyring = Keyring.of(Buffer.alloc(32, 7), thisMachine.randomness);
const ID = 'a'.repeat(32);

/** What partners know, with a kept answer to them and the streams of a restored log. */
async function ofPartners(purchase: object, streams: readonly string[]): Promise<readonly string[]> {
  const body = JSON.stringify({ status: 'success', purchase });
  const { key, bytes } = new AnswerSeal(keyring).seal(Buffer.from(JSON.stringify({ body })));
  const restored: Restored = {
    log: {
      readStream: (stream) => Promise.resolve(streams.includes(stream) ? [{} as Recorded] : []),
    } as Partial<EventLogReader> as EventLogReader,
    keyring,
    keyValues: {} as Restored['keyValues'],
    young: [{ sealed: Buffer.from(bytes).toString('base64'), key }],
    installation: 'ours',
  };
  return (await unknownSales(readConfig({}), restored, thisMachine)).ofPartners;
}

describe('G12.2: sales that partners know and a restored log does not', () => {
  it.each([
    ['reserved', [], [ID]],
    ['reserved', [`reservation-${ID}`], []],
    ['released', [`reservation-${ID}`], []],
    // A payment by card that is pending has no hold.
    ['reserved', [`purchase-${ID}`], []],
    // Its hold is there, but not its claim.
    ['fulfilled', [`reservation-${ID}`], [ID]],
    ['fulfilled', [`reservation-${ID}`, `purchase-${ID}`], []],
  ])('%s, with the streams %j: %j', async (fulfillment_state, streams, expected) => {
    expect(await ofPartners({ id: ID, purchase_id: ID, fulfillment_state }, streams)).toEqual(expected);
  });
});
