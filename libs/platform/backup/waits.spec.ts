import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import type { CopiedLog, EventLine } from '#backup';
import { Unavailable } from '#eventsourcing';
import type { Position } from '#kernel';
import { WaitingLog } from './waits.js';

const line = (position: Position): EventLine => ({ position, id: `${position}`, time: 1, text: '' });

/** A log of four events, one in each part, whose server is away for some of the calls. */
class LogOfAServer implements CopiedLog {
  readonly engine = 'eventstoredb';
  readonly identity = 'log';
  calls = 0;

  constructor(private readonly away: ReadonlySet<number>) {}

  owner = async (): Promise<undefined> => undefined;
  idAt = async (): Promise<undefined> => undefined;
  countAfter = async (): Promise<undefined> => undefined;
  close = async (): Promise<void> => undefined;

  head(): Promise<Position> {
    this.#answer();
    return Promise.resolve(4n);
  }

  async *events(after: Position): AsyncGenerator<readonly EventLine[]> {
    for (let position = after + 1n; position <= 4n; position += 1n) {
      this.#answer();
      yield [line(position)];
    }
  }

  #answer(): void {
    this.calls += 1;
    if (this.away.has(this.calls)) throw new Unavailable('EventStoreDB does not answer');
  }
}

function waiting(away: readonly number[], patient = true) {
  const warned: string[] = [];
  const stop = new AbortController();
  const time = { ...thisMachine.time, pause: async () => undefined };
  const waits = { patient, signal: stop.signal, time, warn: (words: string) => void warned.push(words) };
  return { log: new WaitingLog(new LogOfAServer(new Set(away)), waits), warned, stop };
}

describe('G12.2: a backup that follows, whose log is on a server', () => {
  it('waits while the server is away, says so once, and has each event once', async () => {
    const { log, warned } = waiting([1, 2, 5, 6]);
    expect(await log.head()).toBe(4n);
    const read: Position[] = [];
    for await (const lines of log.events(0n, 4n)) read.push(...lines.map(({ position }) => position));
    expect(read).toEqual([1n, 2n, 3n, 4n]);
    expect(warned).toEqual(Array(2).fill('EventStoreDB does not answer: waits for it'));
  });

  it('does not wait any more when it is ended', async () => {
    const { log, stop } = waiting([1]);
    stop.abort();
    await expect(log.head()).rejects.toThrow('EventStoreDB does not answer');
  });

  it('a single backup fails, because somebody waits for it', async () => {
    const { log, warned } = waiting([1], false);
    await expect(log.head()).rejects.toThrow('EventStoreDB does not answer');
    expect(warned).toEqual([]);
  });
});
