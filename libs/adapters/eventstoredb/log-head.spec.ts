import { describe, expect, it } from '@jest/globals';
import { LogHead } from './log-head.js';
import { OwnStreams } from './own-streams.js';
import { NoEventThere, type ServerEvent } from './server.js';

const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'system:test' };

/** A server that searches this many events of others before it gives up, if it gets little time. */
class Filtering {
  readonly log: ServerEvent[] = [];
  looked = 0;
  patience = Infinity;

  write(stream: string, count = 1): bigint {
    for (let n = 0; n < count; n += 1) {
      const place = { revision: 0, position: BigInt(this.log.length + 1), id: 'i', created: 0 };
      this.log.push({ ...place, stream, type: 't', data: {}, metadata });
    }
    return BigInt(this.log.length);
  }

  /** Removes an event, as a scavenge does. */
  scavenge(position: bigint): void {
    this.log.splice(
      this.log.findIndex((event) => event.position === position),
      1,
    );
  }

  async readBack(
    before: bigint | undefined,
    max: number,
    names: readonly string[],
    within = 1_000,
  ): Promise<readonly ServerEvent[]> {
    const all = this.log.filter(({ position }) => before === undefined || position < before).reverse();
    return this.#passing(all, max, names, within > 1_000 ? Infinity : this.patience);
  }

  async readAll(from: bigint, max: number, names: readonly string[] = []): Promise<readonly ServerEvent[]> {
    const all = this.log.filter(({ position }) => position >= from);
    if (all[0]?.position !== from) throw new NoEventThere(`no event begins at ${from}`);
    return this.#passing(all, max, names);
  }

  #passing(
    events: readonly ServerEvent[],
    max: number,
    names: readonly string[],
    patience = this.patience,
  ): readonly ServerEvent[] {
    const passing: ServerEvent[] = [];
    for (const [index, event] of events.entries()) {
      if (passing.length === max) break;
      if (index > patience) throw new Error('deadline');
      this.looked += 1;
      if (names.length === 0 || names.some((name) => event.stream.startsWith(name))) passing.push(event);
    }
    return passing;
  }
}

describe("the log's head among everybody's events", () => {
  const ours = new OwnStreams('shop_', ['deal']);

  it('is our last event, or nothing', async () => {
    const server = new Filtering();
    const head = new LogHead(server, ours);
    expect(await head.find()).toBe(0n);
    server.write('other-1', 50);
    expect(await head.find()).toBe(0n);
    const last = server.write('shop_deal-1');
    server.write('shop_2_deal-1', 100);
    expect(await head.find()).toBe(last);
  });

  it('is found immediately while others write much more than we do', async () => {
    const server = new Filtering();
    const head = new LogHead(server, ours);
    const last = server.write('shop_deal-1');
    server.write('other-1', 9_000);
    expect(await head.find()).toBe(last);
    server.patience = 1_000;
    for (let n = 0; n < 10; n += 1) {
      server.write('other-1', 150);
      server.looked = 0;
      expect(await head.find()).toBe(last);
      expect(server.looked).toBeLessThan(2_000);
    }
    server.looked = 0;
    expect(await head.find()).toBe(last);
    expect(server.looked).toBe(1);
    const next = server.write('shop_deal-1');
    server.write('other-1', 500);
    expect(await head.find()).toBe(next);
  });

  it('is searched from the end if the event where the last search began was scavenged', async () => {
    const server = new Filtering();
    const head = new LogHead(server, ours);
    server.write('shop_deal-1');
    const end = server.write('other-1', 10);
    await head.find();
    const next = server.write('shop_deal-1');
    server.write('other-1', 2_000);
    server.scavenge(end);
    server.patience = 1_000;
    expect(await head.find()).toBe(next);
  });
});
