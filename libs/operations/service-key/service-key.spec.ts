import { describe, expect, it } from '@jest/globals';
import { SERVICE_KEYS, serviceKeys, type ServiceKeysState } from './service-key.decider.js';

const NOW = 1_800_000_000_000;
const begin = { type: 'begin', key: 'data', from: '01a2b3c4', reason: 'once a year' } as const;
const end = { type: 'end', key: 'data', to: '5d6e7f80' } as const;

const after = (...commands: readonly (typeof begin | typeof end)[]): ServiceKeysState =>
  commands.reduce(
    (state, command) =>
      serviceKeys.decide(command, state, NOW).reduce((now, event) => serviceKeys.evolve(now, event), state),
    serviceKeys.initialState,
  );

describe('G14: the rotation of a key', () => {
  it('begins and ends once, and the key has a time since when it is in use', () => {
    expect(SERVICE_KEYS).toBe('service');
    expect(after(begin)).toEqual({ open: { key: 'data', from: '01a2b3c4', reason: 'once a year' }, since: {} });
    expect(serviceKeys.decide(end, after(begin), NOW)).toEqual([
      { type: 'key-rotation-ended.v1', data: { key: 'data', from: '01a2b3c4', to: '5d6e7f80', at: NOW } },
    ]);
    expect(after(begin, end)).toEqual({ open: null, since: { data: NOW } });
    expect(serviceKeys.decide(end, after(begin, end), NOW)).toEqual([]);
  });

  it('is refused while one of any key is under way', () => {
    for (const key of ['data', 'urls', 'master'] as const)
      expect(() => serviceKeys.decide({ ...begin, key }, after(begin), NOW)).toThrow('a rotation of data is under way');
    expect(serviceKeys.decide({ ...end, key: 'urls' }, after(begin), NOW)).toEqual([]);
  });
});
