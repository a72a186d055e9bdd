import { truncateSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Snapshot } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { codec } from '#platform/model';
import { inventory, type InventoryEvent, type InventoryState } from '#purchasing/model';
import { casesInFull, itInFull } from '../support/alone.js';
import { discardLeftovers, type TestPartner } from '../support/running-service.js';
import { unitsByDeal } from '../support/sound-log.js';
import { tempFolder } from '../support/temp-folder.js';
import { Asking } from './asking.js';
import { held, heldTo } from './held.js';
import { Opened } from './opened.js';
import { recordGolden } from './record-golden.js';
import { holdAndRelease } from './shop.js';
import { SnapshotFolder } from './snapshot-folder.js';

afterAll(discardLeftovers);

/** The deal whose inventory has a snapshot. */
const [DEAL, STREAM] = ['spa', 'inventory-spa'] as const;
/** The digest of another build. */
const ANOTHER = 'f'.repeat(32);

/** The parts of a snapshot with the state that these events lead to. */
function partsOf(events: readonly Recorded[], change: Partial<InventoryState> = {}): readonly Uint8Array[] {
  const state = events
    .map((event) => codec.decode(event) as Recorded<InventoryEvent>)
    .reduce((before, event) => inventory.evolve(before, event), inventory.initialState);
  return [...(inventory.snapshot?.parts({ ...state, ...change }) ?? [])].map((part) => serialize(part));
}

describe('a golden folder with snapshots', () => {
  const files = tempFolder();
  const golden = join(files.path, 'recorded');
  const all: Opened[] = [];
  let opened: Opened;
  let snapshots: SnapshotFolder;
  let acme: Pick<TestPartner, 'key'>;

  const open = (): Opened => {
    const copy = new Opened(golden);
    all.push(copy);
    return copy;
  };
  beforeAll(() => recordGolden(golden, { eventstoredb: false, found: false }));
  beforeEach(() => {
    opened = open();
    snapshots = new SnapshotFolder(opened.dataDir);
    acme = { key: opened.recording.credentials.acme };
  });
  afterEach(async () => {
    for (const copy of all.splice(0)) await copy.discard();
  });
  afterAll(() => files.remove());

  const eventsOfDeal = async (): Promise<readonly Recorded[]> =>
    (await opened.events()).filter(({ stream }) => stream === STREAM);
  const reserves = async (num_bought: number): Promise<number> =>
    (await opened.service.ask('POST', '/purchases/reserve', { ...acme, body: { deal_id: DEAL, num_bought } })).status;
  const unitsThatCanBeHeld = async (): Promise<number> => {
    let held = 0;
    for (const quantity of [10, 1]) while ((await reserves(quantity)) === 200) held += quantity;
    return held;
  };
  /** Recorded requests get their answers, and of the deal exactly the units are left that its log leaves. */
  const expectSameAnswers = async (): Promise<void> => {
    const { recording, service } = opened;
    const asking = new Asking(service, recording.credentials);
    for (const recorded of recording.answers) {
      const request = `${recorded.as} ${recorded.method} ${recorded.path}`;
      expect([request, held(recorded, await asking.send(recorded))]).toEqual([request, heldTo(recorded)]);
    }
    const units = unitsByDeal(await eventsOfDeal())
      .get(DEAL)
      ?.at(-1);
    if (units === undefined || units.stock === null) throw new Error('the deal has a stock');
    const left = units.stock - units.held - units.sold;
    expect(await unitsThatCanBeHeld()).toBe(left);
  };
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    await opened.start({ TIMERS: 'false', ...env });
  };
  /** A snapshot that another copy of this folder made: the same log up to the kill, then events of its own. */
  const ofAnotherCopy = async (): Promise<Snapshot> => {
    const copy = open();
    await holdAndRelease(await copy.start({ TIMERS: 'false' }), acme);
    await copy.stop();
    return new SnapshotFolder(copy.dataDir).of(STREAM);
  };

  it('has one of a deal, from which its log has gone on: it is used, and the answers are the same', async () => {
    const snapshot = await snapshots.of(STREAM);
    expect(snapshot.revision).toBeLessThan((await eventsOfDeal()).length - 1);
    await start();
    await expectSameAnswers();
  });

  it('decides on a snapshot against which nothing speaks', async () => {
    const snapshot = await snapshots.of(STREAM);
    const events = (await eventsOfDeal()).slice(0, snapshot.revision + 1);
    await snapshots.put({ ...snapshot, parts: partsOf(events, { stock: 0 }) });
    await start();
    expect(await reserves(1)).toBe(422);
  });

  itInFull('has one of all events of the deal', async () => {
    const [snapshot, events] = [await snapshots.of(STREAM), await eventsOfDeal()];
    const last = events.at(-1);
    if (last === undefined) throw new Error('the deal has events');
    const { revision, position, id: event } = last;
    await snapshots.put({ ...snapshot, revision, position, event, parts: partsOf(events) });
    await start();
    await expectSameAnswers();
  });

  const torn = casesInFull<[string, (file: string) => void]>(
    ['whose end was never written', (file) => truncateSync(file, readFileSync(file).length - 100)],
    ['of which nothing was written', (file) => truncateSync(file, 0)],
    [
      'which has zeros in the place of some of its bytes',
      (file) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0, bytes.length - 100));
      },
    ],
  );
  it.each(torn)('has one %s', async (_, tear) => {
    for (const file of snapshots.files()) tear(file);
    await start();
    await expectSameAnswers();
  });

  it('has one of a copy of the log that went on in another way', async () => {
    const other = await ofAnotherCopy();
    await holdAndRelease(await opened.start({ TIMERS: 'false' }), acme);
    await opened.stop();
    const there = (await eventsOfDeal())[other.revision];
    expect(there?.id).not.toBe(other.event);
    const own = await snapshots.of(STREAM);
    expect([own.log, own.first]).toEqual([other.log, other.first]);
    await snapshots.put({ ...other, parts: partsOf(await eventsOfDeal(), { stock: 0 }) });
    await start();
    await expectSameAnswers();
  });

  it('has one of a copy of the log that went on: the deal is refused until an operator accepts what is lost', async () => {
    await snapshots.put(await ofAnotherCopy());
    await start();
    expect(await reserves(1)).toBe(503);
    const { body } = await opened.service.health();
    expect(body.findings).toEqual([
      expect.objectContaining({ message: expect.stringContaining(`which the snapshot of ${STREAM} has seen`) }),
    ]);
    await opened.stop();
    await start({ ACCEPT: body.findings[0].code });
    await expectSameAnswers();
  });

  it('has one of another build, which is removed', async () => {
    const snapshot = await snapshots.of(STREAM);
    snapshots.deleteAll();
    await snapshots.put({ ...snapshot, digest: ANOTHER, parts: [Buffer.from('of another build')] });
    await start();
    await expectSameAnswers();
    while (snapshots.files().some((file) => file.includes(ANOTHER))) await pause(50);
  });

  it('has none any more', async () => {
    snapshots.deleteAll();
    await start();
    await expectSameAnswers();
  });

  itInFull('loses all while the service runs, and gets new ones', async () => {
    await start();
    await holdAndRelease(opened.service, acme);
    snapshots.deleteAll();
    await holdAndRelease(opened.service, acme);
    await opened.stop();
    expect((await snapshots.of(STREAM)).revision).toBe((await eventsOfDeal()).length - 1);
    await start();
    await expectSameAnswers();
  });
});
