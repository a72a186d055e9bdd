import { describe, expect, it } from '@jest/globals';
import { FAULTS } from '../../core/faults.js';
import { World } from '../../world/world.js';
import { type AppendOutcome, EventStore } from './event-store.js';
import type { EventStoreNode } from './event-store-node.js';
import { NodeTroubles } from './node-troubles.js';

const PREFIX = 'shop_';
/** The note of a lease: the metadata of a stream without events. */
const NOTE = `$$${PREFIX}holdfast_lease`;
/** An append is written within this time, and every node shows it, in milliseconds. */
const SOON = 60_000;

/** A cluster in a world without faults. */
class Calm {
  readonly world = new World('nodes', { faults: new Set(Object.keys(FAULTS)) });
  readonly server = new EventStore(this.world, PREFIX);
  readonly troubles = new NodeTroubles(this.server, PREFIX, this.world.random.of('troubles'));

  get leader(): EventStoreNode {
    if (this.server.leader === undefined) throw new Error('nobody leads');
    return this.server.leader;
  }

  pass(milliseconds: number): Promise<void> {
    return this.world.until(this.world.scheduler.sleep(milliseconds), milliseconds + 1);
  }

  /** Appends at the leader. @param until by the server’s clock */
  async append(stream: string, expected: number, until?: number): Promise<AppendOutcome | undefined> {
    let answer: AppendOutcome | undefined;
    const events = [{ id: `${stream} ${expected} ${this.world.scheduler.now}`, type: 'noted', data: {} }];
    const reply = { value: (value: AppendOutcome) => void (answer = value), error: () => undefined };
    this.server.append({ stream, expected, events, until, sentAt: this.world.scheduler.now }, this.leader, reply);
    await this.pass(SOON);
    return answer;
  }

  /** A node that does not know the note, because its event 0 was scavenged. */
  async filled(): Promise<EventStoreNode> {
    await this.append(NOTE, -1);
    await this.append(NOTE, 0);
    expect(this.troubles.fill()).toBe(true);
    await this.pass(SOON);
    const node = this.server.nodes.find((each) => each.isUnknown(NOTE));
    if (node === undefined) throw new Error('every node knows the note');
    return node;
  }

  /** Lets this node lead. */
  async lead(node: EventStoreNode): Promise<void> {
    while (this.server.leader !== node) {
      this.server.leadership.elect(1, 'resigns');
      await this.pass(SOON);
    }
  }
}

const messagesOf = (node: EventStoreNode, stream: string): string =>
  node
    .read({ of: 'stream', stream, from: 0, max: 10 })
    .map((message) =>
      message.hasStreamNotFound() ? 'not found' : String(message.getEvent()?.getEvent()?.getStreamRevision()),
    )
    .join();

describe('a simulated node that got its data as scavenged chunks', () => {
  it('does not find a stream whose event 0 is gone, though $all has the rest; the others find it', async () => {
    const calm = new Calm();
    const node = await calm.filled();
    expect([messagesOf(node, NOTE), messagesOf(calm.leader, NOTE)]).toEqual(['not found', '1']);
    expect(node.read({ of: 'back', before: undefined, max: 10, names: [NOTE] })).toHaveLength(1);
  });

  it('refuses an append to such a stream at its revision, as to one without events', async () => {
    const calm = new Calm();
    await calm.lead(await calm.filled());
    expect(await calm.append(NOTE, 1)).toEqual({ actual: -1 });
  });

  it('fails the world of whoever begins such a stream anew; then no node can read it', async () => {
    const calm = new Calm();
    await calm.lead(await calm.filled());
    await expect(calm.append(NOTE, -1)).rejects.toThrow(`no stream is begun anew`);
    for (const node of calm.server.nodes)
      expect(() => messagesOf(node, NOTE)).toThrow('Unexpected ReadStreamResult: Error');
  });

  it('knows every stream whose event 0 is there', async () => {
    const calm = new Calm();
    await calm.append('other', -1);
    await calm.append('other', 0);
    expect(messagesOf(await calm.filled(), 'other')).toBe('0,1');
  });

  it('knows all again with whole files', async () => {
    const calm = new Calm();
    const node = await calm.filled();
    calm.server.restore([...calm.server.stored.all], 'the right data');
    expect(messagesOf(node, NOTE)).toBe('1');
  });

  it('does not find the record of the log either, if that was cut before', async () => {
    const calm = new Calm();
    const record = `${PREFIX}holdfast`;
    for (let revision = -1; revision < 2; revision += 1) await calm.append(record, revision);
    // An administrator cuts it in three of ten cases.
    while (calm.server.stored.last(`$$${record}`) === -1) calm.troubles.fill();
    await calm.pass(SOON);
    const filled = calm.server.nodes.filter((node) => node.isUnknown(record));
    expect(filled.map((node) => messagesOf(node, record))).toEqual(['not found']);
    expect(messagesOf(calm.leader, record)).toBe('2');
  });

  it('is not made while a stream of ours is cut: nothing of ours is lost', async () => {
    const calm = new Calm();
    await calm.append(NOTE, -1);
    await calm.append(NOTE, 0);
    calm.server.cut.add('inventory-spa');
    expect(calm.troubles.fill()).toBe(false);
    expect(calm.server.stored.beheaded()).toEqual([]);
  });
});

describe('the clock of a simulated node', () => {
  it('is its own: by it the node judges an instant as a deadline, and says when an event was written', async () => {
    const calm = new Calm();
    const in20s = (): number => calm.server.now() + 20_000;
    expect(await calm.append('a', -1, in20s())).toMatchObject({ revision: 0 });
    calm.leader.clockOff = 60_000;
    expect(await calm.append('a', 0, in20s())).toBe('Timeout');
    expect(await calm.append('a', 0)).toMatchObject({ revision: 1 });
    const [first, second] = calm.server.stored.all.map(({ created }) => created);
    expect(Number(second) - Number(first)).toBeGreaterThan(2 * SOON + 59_000);
    const other = calm.server.nodes.find((node) => node !== calm.leader);
    expect(other?.now()).toBe(calm.server.now());
  });

  it('is wrong for a while, one at a time', async () => {
    const calm = new Calm();
    expect([calm.server.areClocksRight, calm.troubles.setClock()]).toEqual([true, true]);
    expect([calm.server.areClocksRight, calm.troubles.setClock()]).toEqual([false, false]);
    await calm.pass(120_000);
    expect(calm.server.areClocksRight).toBe(true);
  });

  it('does not delay what another node shows', async () => {
    const calm = new Calm();
    for (const node of calm.server.nodes) node.clockOff = -86_400_000;
    await calm.append('a', -1);
    for (const node of calm.server.nodes) expect(messagesOf(node, 'a')).toBe('0');
  });
});
