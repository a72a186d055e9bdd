import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { EmbeddedState } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import {
  type KeyValueStore,
  LiveKeys,
  loadMasterKey,
  type MasterKey,
  SEALED_KINDS,
  type SealedRows,
  type Writer,
} from '#eventsourcing';
import { operations, type RotatedKey, SERVICE_KEYS, serviceKeys } from '#operations/model';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { KeyRotation } from './key-rotation.js';
import { MasterKeyFiles } from './master-key-files.js';

const { randomness, time } = thisMachine;
const KEYS: readonly RotatedKey[] = ['data', 'urls', 'master'];
const order = { credential: 'partner:acme', key: 'order' };
const logger = pino({ level: 'silent' });

/** Ends a process at its n-th change of something that lasts, before the change or after it. */
class Kill {
  #changes = 0;

  constructor(
    private readonly at: number,
    private readonly when: 'before' | 'after',
  ) {}

  get happened(): boolean {
    return this.#changes >= this.at;
  }

  before(): void {
    this.#changes += 1;
    if (this.#changes > this.at || (this.happened && this.when === 'before')) throw new Error('killed');
  }

  after(): void {
    if (this.happened) throw new Error('killed');
  }
}

/** The master key files of a process that a kill may end. */
class KilledFiles extends MasterKeyFiles {
  constructor(
    dataDir: string,
    private readonly kill: Kill | undefined,
  ) {
    super(dataDir);
  }

  override makeNext(random: Pick<typeof randomness, 'bytes'>): Buffer {
    this.kill?.before();
    const made = super.makeNext(random);
    this.kill?.after();
    return made;
  }

  override swap(): void {
    this.kill?.before();
    super.swap();
    this.kill?.after();
  }
}

describe('G14: a rotation', () => {
  const folder = tempFolder();
  let engine: PeopleEngine;
  let dataDir: string;
  let state: EmbeddedState;
  let live: LiveKeys;
  let rotation: KeyRotation;
  let nth = 0;

  const master: MasterKey = (mayMake) =>
    loadMasterKey({ file: join(dataDir, 'master.key'), mustExist: !mayMake, randomness });

  /** A process on the folder. */
  async function open(kill?: Kill): Promise<void> {
    const around = async <Result>(change: () => Promise<Result>): Promise<Result> => {
      kill?.before();
      const result = await change();
      kill?.after();
      return result;
    };
    state = await EmbeddedState.open(join(dataDir, 'state.db'), master);
    const { keyValues, sealed } = state;
    const killed: KeyValueStore = {
      get: (name) => keyValues.get(name),
      insert: (name, text) => keyValues.insert(name, text),
      replace: (name, expected, text) => around(() => keyValues.replace(name, expected, text)),
    };
    const rows: SealedRows = {
      part: (kind, after) => sealed.part(kind, after),
      reseal: (some) => around(() => sealed.reseal(some)),
    };
    const { writer } = engine.engine;
    live = await LiveKeys.open(killed, master, { place: 'state.db', written: 'it was opened before' }, thisMachine);
    rotation = new KeyRotation({
      live,
      rows,
      guard: { passed: () => Promise.resolve() },
      writer: {
        readNow: writer.readNow.bind(writer),
        newContext: writer.newContext.bind(writer),
        execute: (...command: Parameters<Writer['execute']>) => around(() => writer.execute(...command)),
      } as unknown as Writer,
      time,
      randomness,
      logger,
      files: new KilledFiles(dataDir, kill),
      ownsMasterKey: true,
      isAlone: true,
      isShared: false,
      leases: undefined,
      signWith: () => Promise.resolve(() => undefined),
    });
  }

  async function begin(key: RotatedKey): Promise<void> {
    const from = await rotation.mayRotate(key);
    const command = { type: 'begin', key, from, reason: null } as const;
    await engine.engine.writer.execute(serviceKeys, SERVICE_KEYS, command, engine.context());
  }

  async function untilEnded(): Promise<void> {
    rotation.start();
    while ((await rotation.status()).some((each) => each.rotation !== undefined)) await time.pause(2);
    await rotation.close();
  }

  const idOf = async (key: RotatedKey): Promise<string | undefined> =>
    (await rotation.status()).find((each) => each.key === key)?.id;

  async function numbers(): Promise<readonly number[]> {
    const found = new Set<number>();
    for (const kind of SEALED_KINDS)
      for (const { sealed } of (await state.sealed.part(kind, undefined)).rows) found.add(sealed.key);
    return [...found];
  }

  beforeEach(async () => {
    engine = await openPeopleEngine([operations]);
    dataDir = join(folder.path, String((nth += 1)));
    mkdirSync(dataDir);
    state = await EmbeddedState.open(join(dataDir, 'state.db'), master);
    await state.keys.obtain('ann');
    await state.vault.put('card', Buffer.from('4242'));
    await state.records.begin(order, 'f', 'c', 1);
    await state.records.keep(order, Buffer.from('yes'), 1);
    await state.close();
  });
  afterEach(async () => {
    await rotation.close();
    await state.close();
    await engine.close();
  });

  it.each(KEYS.flatMap((key) => (['before', 'after'] as const).map((when) => [key, when] as const)))(
    'of %s goes on after a kill %s any of its changes, and everything opens',
    async (key, when) => {
      let kills = 0;
      for (let at = 1; ; at += 1) {
        rmSync(join(dataDir, 'master.key.old'), { force: true });
        const kill = new Kill(at, when);
        await open(kill);
        const [before, link] = [await idOf(key), live.keyring.sign('a', 'x')];
        const keyBefore = readFileSync(join(dataDir, 'master.key'), 'utf8');
        await begin(key);
        rotation.start();
        await rotation.rests();
        await rotation.close();
        await state.close();
        await open();
        await untilEnded();
        await state.close();
        await open();
        expect(await idOf(key)).not.toBe(before);
        expect([live.opened.hasNext, live.opened.keys.change, live.keyring.ids.seal.length]).toEqual([
          false,
          undefined,
          1,
        ]);
        expect(await numbers()).toEqual([live.keyring.sealingKey]);
        expect(live.keyring.verify('a', 'x', link)).toBe(true);
        expect([await state.keys.get('ann'), (await state.vault.get('card'))?.toString()]).toEqual([
          expect.any(Buffer),
          '4242',
        ]);
        expect(await state.records.begin(order, 'f', 'again', 2)).toMatchObject({ kind: 'kept' });
        if (key === 'master') {
          expect(readFileSync(join(dataDir, 'master.key.old'), 'utf8')).toBe(keyBefore);
          expect(existsSync(join(dataDir, 'master.key.next'))).toBe(false);
        }
        await state.close();
        if (!kill.happened) break;
        kills += 1;
      }
      await open();
      expect(kills).toBe({ data: 7, urls: 4, master: 5 }[key]);
    },
  );

  it('of the master key is refused while the key before is in the folder, and starts nothing then', async () => {
    await open();
    await begin('master');
    await untilEnded();
    await expect(rotation.mayRotate('master')).rejects.toThrow('master.key.old is still there: move it');
    await expect(rotation.mayRotate('data')).resolves.toMatch(/^[0-9a-f]{8}$/);
  });

  it('keeps the key before if a row does not open', async () => {
    await open();
    await state.keyValues.insert('x', 'y');
    const [row] = (await state.sealed.part('secret', undefined)).rows;
    if (row === undefined) throw new Error('no row');
    await state.sealed.reseal([{ ...row, again: { key: 0, bytes: Buffer.alloc(row.sealed.bytes.length) } }]);
    await begin('data');
    rotation.start();
    await rotation.rests();
    await rotation.close();
    expect(live.keyring.ids.seal).toHaveLength(2);
    expect(await numbers()).toEqual([1, 0]);
  });
});
