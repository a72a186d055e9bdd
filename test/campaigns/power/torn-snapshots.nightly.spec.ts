import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedSnapshotStore } from '#adapters/embedded';
import type { CommandLoop } from '#eventsourcing';
import { inventory, type InventoryCommand, type InventoryState } from '#purchasing/model';
import { claimOf, placeOf } from '../../support/sale.js';
import { openShop, type Shop } from '../../support/shop.js';
import { tempFolder } from '../../support/temp-folder.js';
import { patience, size, tell } from '../size.js';

const CUTS = size('POWER', 8) * 5;
/** Events of sales: at a stop, half of them are enough for a snapshot. */
const EVENTS = 1_200;
const TOGETHER = 100;
/** A disk loses nothing smaller. */
const SECTOR = 512;

/** A checksum over everything that a state holds. */
function sumOf(state: InventoryState): string {
  const hash = createHash('sha256');
  for (const part of inventory.snapshot?.parts(state) ?? []) hash.update(serialize(part));
  return hash.digest('hex');
}

/**
 * Nothing syncs a snapshot. So the power may leave its name without its bytes, any of its sectors as they were before (those of
 * another file, or zeros), only a part of its length, or the file under the name that it has while it is written.
 */
describe('a snapshot after a power cut', () => {
  const folder = tempFolder();
  const store = new EmbeddedSnapshotStore(folder.path);
  const snapshots = { store, folds: [{ decider: inventory, digest: 'ab'.repeat(16) }] };
  let shop: Shop;
  /** The sum of the state that all events lead to. */
  let whole: string;
  /** The file of the last snapshot, and what was in it; and in the one before. */
  let file: string;
  let bytes: Buffer;
  let older: Buffer;

  const only = (): string => join(folder.path, readdirSync(folder.path).join());

  /** Sells this many units, two events each, and stops: the stop makes a snapshot. */
  async function sell(units: number): Promise<void> {
    const loop = shop.otherLoop([], snapshots);
    const run = (command: InventoryCommand): Promise<unknown> =>
      loop.execute(inventory, shop.deal, command, shop.context());
    for (let from = 0; from < units; from += TOGETHER) {
      await Promise.all(
        Array.from({ length: TOGETHER }, async (_, nth) => {
          const id = shop.context().commandId;
          await run(placeOf(id));
          const { number } = (await loop.read(inventory, shop.deal)).holds.get(id) ?? {};
          await run(claimOf(id, `user-${nth}`, 1, number));
        }),
      );
    }
    await loop.close();
  }

  /** Loads the deal in a new process. @returns the sum of its state, and how many events it read */
  async function loaded(): Promise<{ readonly state: string; readonly read: number }> {
    const { log } = shop.engine;
    const readStream = log.readStream.bind(log);
    let read = 0;
    log.readStream = async (...asked) => {
      const page = await readStream(...asked);
      read += page.length;
      return page;
    };
    const loop: CommandLoop = shop.otherLoop([], { ...snapshots, every: 100 * EVENTS });
    const state = sumOf(await loop.read(inventory, shop.deal));
    await loop.close();
    log.readStream = readStream;
    return { state, read };
  }

  function lay(left: Buffer): void {
    rmSync(folder.path, { recursive: true, force: true });
    mkdirSync(folder.path);
    writeFileSync(file, left);
  }

  beforeAll(async () => {
    shop = await openShop(EVENTS);
    await sell(EVENTS / 4);
    older = readFileSync(only());
    await sell(EVENTS / 4);
    file = only();
    bytes = readFileSync(file);
    whole = sumOf(await shop.engine.loop.readNow(inventory, shop.deal));
  }, 120_000);
  afterAll(async () => {
    await shop.close();
    folder.remove();
  });

  it('is used if all of it is there, and also if the one before is', async () => {
    for (const [left, most] of [
      [bytes, 10],
      [older, EVENTS / 2 + 10],
    ] as const) {
      lay(left);
      const { state, read } = await loaded();
      expect(state).toEqual(whole);
      expect(read).toBeLessThan(most);
    }
  });

  it.each<[string, (whole: Buffer) => Buffer]>([
    ['its name', () => Buffer.alloc(0)],
    ['its length', ({ length }) => Buffer.alloc(length)],
    ['its first sector', (all) => Buffer.concat([all.subarray(0, SECTOR), Buffer.alloc(all.length - SECTOR)])],
    ['all but its last sector', (all) => all.subarray(0, Math.floor(all.length / SECTOR) * SECTOR)],
  ])('is not used if the power left only %s of it', async (_, left) => {
    lay(left(bytes));
    const { state, read } = await loaded();
    expect(state).toEqual(whole);
    expect(read).toBeGreaterThan(EVENTS);
  });

  it('is not used under the name that it has while it is written', async () => {
    lay(bytes);
    rmSync(file);
    writeFileSync(`${file}.new`, bytes);
    const { state, read } = await loaded();
    expect(state).toEqual(whole);
    expect(read).toBeGreaterThan(EVENTS);
  });

  /** Loses sectors of it: they have zeros, or what the file of the last snapshot had there. */
  function torn(isLost: (sector: number) => boolean, by: 'zeros' | 'older'): Buffer {
    const left = Buffer.from(bytes);
    for (let from = 0; from < left.length; from += SECTOR) {
      if (!isLost(from / SECTOR)) continue;
      const before = Buffer.alloc(Math.min(SECTOR, left.length - from));
      if (by === 'older') older.copy(before, 0, Math.min(from, older.length), from + before.length);
      before.copy(left, from);
    }
    return left;
  }

  it(
    'is not used if any sector of it was lost, alone or with others',
    async () => {
      const sectors = Math.ceil(bytes.length / SECTOR);
      const chance = (cut: number, sector: number): number =>
        (Math.imul(cut * sectors + sector + 1, 2_654_435_761) >>> 8) % 100;
      const cuts = [
        ...Array.from({ length: sectors }, (_, lost) => torn((sector) => sector === lost, 'zeros')),
        ...Array.from({ length: CUTS }, (_, cut) =>
          torn((sector) => chance(cut, sector) < 1 + (cut % 30), cut % 2 === 0 ? 'older' : 'zeros'),
        ),
      ].filter((left) => !left.equals(bytes));
      for (const [cut, left] of cuts.entries()) {
        lay(left);
        const { state, read } = await loaded();
        expect({ cut, state, isWhole: read > EVENTS }).toEqual({ cut, state: whole, isWhole: true });
      }
      expect(cuts.length).toBeGreaterThan(CUTS / 2);
      tell('POWER', `${cuts.length} torn snapshots, none used`);
    },
    patience(CUTS, 2_000),
  );
});
