import { defineDecider, DomainError, type Instant } from '#kernel';
import type { RotatedKey, ServiceKeyEvent } from './service-key.events.js';

/** The id of the only stream of the installation's keys. */
export const SERVICE_KEYS = 'service';

/** A rotation that has begun and not ended. */
export interface OpenRotation {
  readonly key: RotatedKey;
  /** The id of the key that another one follows. */
  readonly from: string;
  readonly reason: string | null;
}

export interface ServiceKeysState {
  readonly open: OpenRotation | null;
  /** When the last rotation of each key ended; absent for a key that was never rotated. */
  readonly since: Readonly<Partial<Record<RotatedKey, Instant>>>;
}

export type ServiceKeysCommand =
  | ({ readonly type: 'begin' } & OpenRotation)
  /** The key of this id is in use, and nothing is made with the one before any more. */
  | { readonly type: 'end'; readonly key: RotatedKey; readonly to: string };

/** The keys of the installation, of which one at a time is rotated (ruling G14). */
export const serviceKeys = defineDecider<ServiceKeysCommand, ServiceKeysState, ServiceKeyEvent>({
  category: 'serviceKey',
  initialState: { open: null, since: {} },
  decide(command, { open }, now) {
    const { key } = command;
    if (command.type === 'begin') {
      if (open !== null) throw new DomainError('key_rotates', rotates(open.key));
      return [{ type: 'key-rotation-begun.v1', data: { key, from: command.from, reason: command.reason } }];
    }
    if (open?.key !== key) return [];
    return [{ type: 'key-rotation-ended.v1', data: { key, from: open.from, to: command.to, at: now } }];
  },
  evolve({ since }, { type, data }) {
    switch (type) {
      case 'key-rotation-begun.v1':
        return { open: { key: data.key, from: data.from, reason: data.reason }, since };
      case 'key-rotation-ended.v1':
        return { open: null, since: { ...since, [data.key]: data.at } };
    }
  },
});

function rotates(key: RotatedKey): string {
  return `a rotation of ${key} is under way: wait until GET /operators/keys shows that it has ended`;
}
