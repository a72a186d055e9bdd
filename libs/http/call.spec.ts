import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Freshness } from '#eventsourcing';
import type { Position } from '#kernel';
import { NOBODY, remember, sinceOf, type Call, type Caller } from './call.js';

describe('A8: the position that a read must reach', () => {
  const partner = (id: string): Caller => ({ kind: 'partner', id, name: id, credential: `key of ${id}` });
  const ann: Caller = { kind: 'operator', role: 'operator', id: 't1', name: 'ann', credential: 'token' };
  const auditor: Caller = { kind: 'operator', role: 'auditor', id: 't2', name: 'eve', credential: 'other token' };
  const callOf = (caller: Caller, since: Position = 0n): Call => ({ caller, since }) as Call;

  it('is the last write of its partner, under any key', () => {
    const freshness = new Freshness(thisMachine.time);
    remember(callOf({ ...partner('acme'), credential: 'second key' } as Caller), 5n, freshness);
    expect(sinceOf(callOf(partner('acme')), freshness)).toBe(5n);
    expect(sinceOf(callOf(partner('rival')), freshness)).toBe(0n);
  });

  it('is the last write of any operator, for every reader', () => {
    const freshness = new Freshness(thisMachine.time);
    remember(callOf(ann), 8n, freshness);
    for (const caller of [partner('acme'), ann, auditor, NOBODY]) expect(sinceOf(callOf(caller), freshness)).toBe(8n);
  });

  it('is the position in the header, if that is later', () => {
    const freshness = new Freshness(thisMachine.time);
    remember(callOf(ann), 8n, freshness);
    expect(sinceOf(callOf(partner('acme'), 9n), freshness)).toBe(9n);
    expect(sinceOf(callOf(partner('acme'), 7n), freshness)).toBe(8n);
  });
});
