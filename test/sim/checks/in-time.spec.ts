import { describe, expect, it } from '@jest/globals';
import type { MadeUp } from './made-up-log.js';
import { madeUpLog } from './made-up-log.js';
import { Health } from './health.js';
import { WorkInTime } from './work-in-time.js';

/** A world whose time passes only when told to, and that remembers the first failure. */
class Still {
  readonly faults = { strikesInOrder: [] as string[] };
  failure: string | undefined;
  readonly scheduler = {
    now: 0,
    after: (milliseconds: number, what: () => void): void => {
      this.#waiting.push({ at: this.scheduler.now + milliseconds, what });
    },
  };
  readonly #waiting: { readonly at: number; readonly what: () => void }[] = [];

  fail(error: Error): void {
    this.failure ??= error.message;
  }

  /** Lets so many seconds pass. */
  async pass(seconds: number): Promise<void> {
    const until = this.scheduler.now + seconds * 1_000;
    for (;;) {
      const next = this.#waiting.findIndex(({ at }) => at <= until);
      const [happening] = next === -1 ? [] : this.#waiting.splice(next, 1);
      if (happening === undefined) break;
      this.scheduler.now = happening.at;
      happening.what();
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
    this.scheduler.now = until;
  }
}

/** One API, whose health says this. */
class Api {
  readonly name = 'api-1';
  isWell = true;
  status = 200;
  readonly service = { guard: { findings: [] as readonly object[] } };
  answer(): Promise<object> {
    return Promise.resolve({ status: this.status });
  }
}

describe('health', () => {
  const begun = (more: object): { readonly world: Still; readonly api: Api } => {
    const [world, api] = [new Still(), new Api()];
    const installation = {
      apis: [api],
      processes: [api],
      servers: [{ isWell: true }],
      appendsFailSince: () => undefined,
      ...more,
    };
    new Health(world as never, installation as never).begin();
    return { world, api };
  };

  it('says within 20 s that no append gets through', async () => {
    const silent = begun({ appendsFailSince: () => 0 });
    await silent.world.pass(20);
    expect(silent.world.failure).toBeUndefined();
    await silent.world.pass(5);
    expect(silent.world.failure).toBe('health says that no append gets through: api-1: since 0');
    const honest = begun({ appendsFailSince: () => 0 });
    honest.api.status = 503;
    await honest.world.pass(60);
    expect(honest.world.failure).toBeUndefined();
  });

  it('says within 20 s that a stream is cut', async () => {
    const silent = begun({ cut: new Set(['inventory-spa']) });
    await silent.world.pass(20);
    expect(silent.world.failure).toBeUndefined();
    await silent.world.pass(5);
    expect(silent.world.failure).toBe('health says that a stream is cut: api-1: inventory-spa');
    const honest = begun({ cut: new Set(['inventory-spa']) });
    await honest.world.pass(15);
    // A finding: the process is not well.
    honest.api.isWell = false;
    await honest.world.pass(60);
    expect(honest.world.failure).toBeUndefined();
    const hindered = begun({ cut: new Set(['inventory-spa']), servers: [{ isWell: false }] });
    await hindered.world.pass(60);
    expect(hindered.world.failure).toBeUndefined();
  });

  it('does not speak against a clock that was right while all were, whatever a server’s shows later', async () => {
    const finding = { kind: 'clock', words: 'this clock is wrong' };
    let areClocksRight = true;
    const trusted = begun({ areClocksRight: () => areClocksRight });
    await trusted.world.pass(5);
    areClocksRight = false;
    trusted.api.service.guard.findings = [finding];
    await trusted.world.pass(5);
    expect(trusted.world.failure).toBe('a clock that was right is trusted: api-1: this clock is wrong');
    const unknown = begun({ areClocksRight: () => false });
    unknown.api.service.guard.findings = [finding];
    await unknown.world.pass(60);
    expect(unknown.world.failure).toBeUndefined();
    const cut = begun({ areClocksRight: () => true });
    await cut.world.pass(5);
    cut.api.service.guard.findings = [{ kind: 'gap', words: 'a stream is cut' }];
    await cut.world.pass(60);
    expect(cut.world.failure).toBeUndefined();
  });
});

describe('due work', () => {
  const COUNTS = { stock: 1, held: 1, sold: 0, quantity: 1, price: 100, max_per_user: null };
  const HELD: MadeUp = [
    'inventory-spa',
    'hold-placed.v1',
    { ...COUNTS, reservation_id: 'a', deal: { id: 'spa' }, deadline: 500 },
  ];
  const ENDED: MadeUp = [
    'inventory-spa',
    'hold-expired.v1',
    { ...COUNTS, held: 0, reservation_id: 'a', deal: { id: 'spa' } },
  ];

  const begun = (
    isWell = true,
    needsRestart = false,
  ): { readonly world: Still; readonly log: { events: readonly object[] } } => {
    const world = new Still();
    const log = { events: madeUpLog(HELD) };
    const api = { isWell, needsRestart, service: { engine: { clock: { now: () => 1_000 } } } };
    new WorkInTime(world as never, { apis: [api], processes: [api], servers: [], log } as never).begin();
    return { world, log };
  };

  it('is done within 20 s while everything is well, and has been for 20 s', async () => {
    const late = begun();
    await late.world.pass(35);
    expect(late.world.failure).toBeUndefined();
    await late.world.pass(5);
    expect(late.world.failure).toContain('due work is in time: everything has been well for 20 s');
    const done = begun();
    await done.world.pass(30);
    done.log.events = madeUpLog(HELD, ENDED);
    await done.world.pass(60);
    expect(done.world.failure).toBeUndefined();
  });

  it('may wait while something is not well, and until 20 s after a fault that hinders it', async () => {
    const ill = begun(false);
    await ill.world.pass(300);
    expect(ill.world.failure).toBeUndefined();
    const failed = begun(true, true);
    await failed.world.pass(300);
    expect(failed.world.failure).toBeUndefined();
    const struck = begun();
    await struck.world.pass(35);
    struck.world.faults.strikesInOrder.push('network: a request is lost #1');
    await struck.world.pass(40);
    expect(struck.world.failure).toBeUndefined();
    const elsewhere = begun();
    await elsewhere.world.pass(35);
    elsewhere.world.faults.strikesInOrder.push('gateway: a request is lost #1');
    await elsewhere.world.pass(5);
    expect(elsewhere.world.failure).toContain('due work is in time');
  });
});
