import type { Fault } from '../../core/faults.js';
import type { Seeded } from '../../core/seeded.js';
import type { World } from '../../world/world.js';
import { troubleServer } from '../network.js';
import { Administrator } from './administrators.js';
import type { EventStore } from './event-store.js';
import { NodeTroubles } from './node-troubles.js';
import { otherEvent } from './other-applications.js';

/** An older copy lacks what was written in at least the last so many milliseconds of the world. */
const OLDER_BY = 15_000;

/** What happens to the server: ends, elections, older copies, and other applications. */
export function troubleEventStore(server: EventStore, prefix: string): void {
  const { world } = server;
  const random = world.random.of('troubles of eventstoredb');
  troubleServer(server, {
    restart: 'eventstoredb: it ends and starts again',
    silence: 'eventstoredb: it stands still for a while',
  });
  const copies = new Copies(server, random);
  const administrator = new Administrator(server, prefix, world.random.of('administrator'));
  const { leadership } = server;
  /** @param happen returns whether anything has changed */
  const strike = (fault: Fault, happen: () => boolean): boolean => {
    if (!world.faults.strikes(fault)) return false;
    if (!happen()) world.faults.hadNoEffect(fault);
    return true;
  };
  const ends = (): boolean => leadership.elect(lastsFor(world, random), 'ends');
  const resigns = (): boolean => leadership.elect(lastsFor(world, random), 'resigns');
  const losesQuorum = (): boolean =>
    leadership.loseQuorum(random.one([2_000, 8_000, 30_000, 60_000]) * random.between(0.5, 1.5));
  const nodes = new NodeTroubles(server, prefix, world.random.of('troubles of nodes'));
  server.watch(() => {
    copies.note();
    if (!strike('eventstoredb: its leader ends', ends) && !strike('eventstoredb: its leader resigns', resigns))
      strike('eventstoredb: its leader has no quorum', losesQuorum);
    if (world.faults.strikes('eventstoredb: another application writes')) {
      for (let count = random.one([1, 1, 3, 60, 300]); count > 0; count -= 1)
        server.write(...otherEvent(random, prefix));
    }
    strike('eventstoredb: an administrator cuts streams', () => administrator.cut());
    strike('eventstoredb: a node is filled anew from scavenged files', () => nodes.fill());
    strike('eventstoredb: a node’s clock is wrong for a while', () => nodes.setClock());
    const mayBeOlder = server.state === 'up' && !server.hasStranger;
    if (mayBeOlder) strike('eventstoredb: an older copy is put back', () => copies.putBack());
  });
}

function lastsFor(world: World, random: Seeded): number {
  const isLong = world.faults.strikes('eventstoredb: nobody leads for long');
  return isLong ? random.one([20_000, 60_000, 240_000]) * random.between(0.5, 1.5) : random.between(600, 9_000);
}

/** An administrator puts an older copy of the server's data back by mistake, and the right data after a while. */
class Copies {
  /** Where the log ended at which time. */
  readonly #ends: { readonly at: number; readonly end: bigint }[] = [];
  #isOlder = false;

  constructor(
    private readonly server: EventStore,
    private readonly random: Seeded,
  ) {}

  note(): void {
    if (this.#isOlder) return;
    const { scheduler } = this.server.world;
    this.#ends.push({ at: scheduler.now, end: this.server.stored.all.at(-1)?.position ?? 0n });
    if (this.#ends.length > 400) this.#ends.splice(0, 200);
  }

  /** @returns false if an older copy is there already, or this one would lack nothing that anybody could know of */
  putBack(): boolean {
    const { server } = this;
    const { scheduler, trace } = server.world;
    const old = this.#ends.filter(({ at }) => at < scheduler.now - OLDER_BY).map(({ end }) => end);
    const whole = [...server.stored.all];
    // A new server, or one with the wrong disk, has nothing.
    const end = this.random.chance(0.2) ? 0n : this.random.one(old.length === 0 ? [whole.at(-1)?.position ?? 0n] : old);
    const [copy, lost] = [
      whole.filter(({ position }) => position <= end),
      whole.filter(({ position }) => position > end),
    ];
    // Nobody can know that the log lacks what no process could note.
    const mustMiss = lost.some((event) => server.ours.has(event) && event.position <= server.noted.upTo);
    if (this.#isOlder || !mustMiss) return false;
    this.#isOlder = true;
    server.restart(this.random.between(4_000, 20_000));
    trace.tell(server.name, `gets an older copy with ${copy.length} events: the last ${lost.length} are not there`);
    server.restore(copy, 'an older copy');
    scheduler.after(this.random.between(30_000, 120_000), () => {
      server.restart(this.random.between(4_000, 20_000));
      trace.tell(server.name, 'gets the right data again');
      server.restore(whole, 'the right data');
      this.#isOlder = false;
    });
    return true;
  }
}
