import { describe, expect, it } from '@jest/globals';
import { NotedLog } from './noted-log.js';

/** A world whose time passes only when told to. */
function still(...struck: readonly string[]) {
  const waiting: { readonly at: number; readonly what: () => void }[] = [];
  const world = {
    failure: undefined as string | undefined,
    faults: { struck: new Map(struck.map((fault) => [fault, 1])) },
    scheduler: { now: 0, after: (within: number, what: () => void) => void waiting.push({ at: within, what }) },
    fail(error: Error) {
      world.failure ??= error.message;
    },
    pass(milliseconds: number) {
      world.scheduler.now += milliseconds;
      for (const { at, what } of waiting) if (at <= world.scheduler.now) what();
    },
  };
  return { world, noted: new NotedLog(world as never) };
}

const POWER = 'crash: the machine loses its power';

describe('what a process has written', () => {
  it.each<[bigint, string, object, readonly string[]]>([
    [7n, 'lives on', {}, []],
    [7n, 'was killed: views know what they have read', { dead: true }, []],
    [0n, 'was killed, and views may have lost what they had read', { dead: true }, [POWER]],
    [7n, 'lives on, though another one lost its power', {}, [POWER]],
    [0n, 'cannot write to its disk any more', { needsRestart: true }, []],
  ])('is noted 15 s later up to %d if it %s', (upTo, _, then, struck) => {
    const { world, noted } = still(...struck);
    const life = { dead: false, needsRestart: false };
    noted.told(life, 7n);
    Object.assign(life, then);
    world.pass(14_999);
    expect(noted.upTo).toBe(0n);
    world.pass(1);
    expect(noted.upTo).toBe(upTo);
  });

  it('stays noted when an earlier answer comes late', () => {
    const { world, noted } = still();
    const life = { dead: false, needsRestart: false };
    noted.told(life, 7n);
    noted.told(life, 3n);
    world.pass(15_000);
    expect(noted.upTo).toBe(7n);
  });
});

describe('a process whose disk has failed', () => {
  it('sends nothing more to the log after 20 s', () => {
    const { world, noted } = still();
    const life = { name: 'service', diskFailedAt: undefined };
    world.pass(60_000);
    noted.sends('inventory-spa', life);
    noted.sends('inventory-spa', { ...life, diskFailedAt: 40_000 });
    expect(world.failure).toBeUndefined();
    noted.sends('inventory-spa', { ...life, diskFailedAt: 39_999 });
    expect(world.failure).toBe('service writes to inventory-spa, and cannot note that: its disk has failed');
  });
});
