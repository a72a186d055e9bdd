import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { thisMachine } from '#adapters/machine';
import { Freshness } from '#eventsourcing';
import type { Call } from './call.js';
import { PositionGuard } from './position-guard.js';

const partner = { kind: 'partner', id: 'acme', name: 'acme', credential: 'key' } as const;

describe('a Holdfast-Position', () => {
  let asked = 0;

  const guardWith = (head: () => Promise<bigint>): { guard: PositionGuard; freshness: Freshness } => {
    const freshness = new Freshness(thisMachine.time);
    freshness.followedTo(5n);
    const positions = {
      async reaches(position: bigint) {
        asked += 1;
        return position <= (await head());
      },
    };
    return { guard: new PositionGuard(freshness, positions, thisMachine.time), freshness };
  };
  const asking = (
    guard: PositionGuard,
    since: bigint,
    caller: Call['caller'] = partner,
    url = '/v1/deals',
  ): Promise<boolean> =>
    Promise.resolve(
      guard.canActivate({ getArgByIndex: () => ({ call: { caller, since }, url }) } as unknown as ExecutionContext),
    );

  it('that this process has reached makes no call wait and asks no log', async () => {
    asked = 0;
    const { guard } = guardWith(() => Promise.reject(new Error('asked')));
    expect([await asking(guard, 0n), await asking(guard, 5n)]).toEqual([true, true]);
    expect(await asking(guard, 9n, { kind: 'nobody' })).toBe(true);
    expect(asked).toBe(0);
  });

  it('that the log has, but this process has not reached, makes the call wait', async () => {
    const { guard, freshness } = guardWith(() => Promise.resolve(7n));
    const answer = asking(guard, 7n);
    expect(await Promise.race([answer, new Promise((resolve) => setImmediate(() => resolve('waits')))])).toBe('waits');
    freshness.followedTo(7n);
    expect(await answer).toBe(true);
  });

  it('beyond the end of the log is refused immediately; the refusal does not say where the log ends', async () => {
    const { guard } = guardWith(() => Promise.resolve(7n));
    await expect(asking(guard, 8n)).rejects.toMatchObject({
      status: 422,
      message: 'Holdfast-Position is ahead of the log: send the value from an earlier answer',
    });
  });

  it('G11: hinders no health check, also if the log lacks it or cannot answer', async () => {
    const { guard } = guardWith(() => Promise.resolve(7n));
    const operator = { kind: 'operator', role: 'operator', id: 'o', name: 'o', credential: '' } as const;
    expect(await asking(guard, 8n, operator, '/health/ready')).toBe(true);
    await expect(asking(guard, 8n, operator, '/operators/tokens')).rejects.toMatchObject({ status: 422 });
  });

  it('makes the call wait if the log cannot answer', async () => {
    const { guard, freshness } = guardWith(() => Promise.reject(new Error('away')));
    const answer = asking(guard, 8n);
    setImmediate(() => freshness.followedTo(8n));
    expect(await answer).toBe(true);
  });
});
