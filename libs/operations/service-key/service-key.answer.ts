import { z } from 'zod';
import { type AnswerOf, MOMENT, success } from '#http';
import { isoTime } from '#kernel';
import type { ServiceKeyStatus } from './operated-keys.js';
import { ROTATED_KEYS } from './service-key.events.js';

const ID = z.string().describe('8 hex characters that reveal nothing of the key.');
const ROWS = z.int().nullable();

const ROTATION = z
  .strictObject({
    state: z
      .enum(['preparing', 'sealing', 'waiting'])
      .describe(
        '`preparing`: processes learn the newer key. `sealing`: what the older key has sealed is sealed again. `waiting`: for what `waits_for` says.',
      ),
    reason: z.string().nullable().describe('Why, as the operator has said.'),
    rows_read: ROWS.describe('Rows that this process has read; null if another process does it.'),
    rows_sealed: ROWS.describe('Rows that this process has sealed again; null if another process does it.'),
    waits_for: z.string().nullable().describe('What an operator has to do; null for nothing.'),
  })
  .nullable();

/** A key of the installation (ruling G14), without its secret. */
export const SERVICE_KEY = z
  .strictObject({
    key: z.enum([...ROTATED_KEYS, 'hash']),
    id: ID,
    since: MOMENT.nullable().describe('When it came into use; null: at the first start.'),
    older: z.array(ID).describe('Older keys that still open or check something, the newest first.'),
    rotation: ROTATION.describe('The rotation that is under way; null for none.'),
  })
  .meta({ id: 'ServiceKey', description: 'A key of the installation, without its secret.' });

export const ROTATING = success({ key: z.enum(ROTATED_KEYS) });

export function presentServiceKey({ key, id, older, since, rotation }: ServiceKeyStatus): AnswerOf<typeof SERVICE_KEY> {
  return {
    key,
    id,
    since: since === undefined ? null : isoTime(since),
    older: [...older],
    rotation:
      rotation === undefined
        ? null
        : {
            state: rotation.state,
            reason: rotation.reason,
            rows_read: rotation.read,
            rows_sealed: rotation.sealed,
            waits_for: rotation.waitsFor,
          },
  };
}
