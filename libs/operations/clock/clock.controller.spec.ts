import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { Codec, CommandLoop, newContext, SteppableClock } from '#eventsourcing';
import type { Call } from '#http';
import { openGuard } from '../../../test/support/open-guard.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { OperationsSettings } from '../settings/operations-settings.js';
import { ClockController, ClockListeners } from './clock.controller.js';
import { clockEvents } from './clock.decider.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('G10: moving the test clock', () => {
  let time: number;
  let folder: ReturnType<typeof tempFolder>;
  let log: EmbeddedLog;
  let loop: CommandLoop;
  const codec = new Codec([clockEvents]);

  const newClock = (): SteppableClock => new SteppableClock(() => time);

  /** A call to one process; by default each has a clock of its own. */
  const move = (now: number, command: Call['command'], clock = newClock()): Promise<unknown> => {
    const engine = engineOf({ loop, log, codec, clock });
    const listeners = new ClockListeners(() => undefined);
    const controller = new ClockController(engine.writer, engine.clock, listeners, new OperationsSettings(true, []));
    const parameters = { now: new Date(now).toISOString() };
    return controller.move({ parameters, command } as unknown as Call);
  };
  const moves = async (): Promise<number> => (await log.readStream('clock-service', 0, 10)).length;
  const context = (): Call['command'] =>
    newContext({ clock: { now: () => time }, randomness: thisMachine.randomness }, 'operator:ann');

  beforeEach(async () => {
    time = Date.parse('2030-01-01T00:00:00Z');
    folder = tempFolder();
    log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
    const clock = { now: () => time, ahead: 0, follow: () => undefined };
    loop = new CommandLoop({ log, codec, clock, followers: [], machine: thisMachine, guard: openGuard() });
  });
  afterEach(async () => {
    await loop.close();
    await log.close();
    folder.remove();
  });

  describe('A11: the repeat of a call that broke off', () => {
    it('finds the move of its first try, though the clock has gone on since', async () => {
      const first = context();
      const to = time + 1_000;
      await move(to, first);
      time = to + 5_000;
      expect(await move(to, { ...first, resumed: true })).toMatchObject({ status: 'success' });
      expect(await moves()).toBe(1);
    });

    it('is refused like any other if its first try came to nothing', async () => {
      const late = { ...context(), resumed: true };
      await expect(move(time - 1, late)).rejects.toThrow('must not be before the present time');
      expect(await moves()).toBe(0);
    });
  });

  // The answer to a move was lost. The service refused every later move before that time, until it started again.
  it('is refused before the time of a move that the service has not seen, which it follows from then on', async () => {
    await move(time + 360_000, context());
    const clock = newClock();
    await expect(move(time + 300_000, context(), clock)).rejects.toThrow('must not be before the time of another move');
    expect(clock.now()).toBe(time + 360_000);
  });
});
