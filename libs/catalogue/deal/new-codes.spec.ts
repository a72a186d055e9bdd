import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { CommandLoop, newContext, SystemClock } from '#eventsourcing';
import type { Engine } from '#platform';
import type { Recorded } from '#kernel';
import { codec } from '#platform/model';
import { inventory, type InventoryEvent } from '#purchasing/model';
import { openGuard } from '../../../test/support/open-guard.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { NewCodes } from './new-codes.js';
import { engineOf } from '../../../test/support/engine-of.js';

const clock = new SystemClock(Date.now);
const numbered = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, at) => `code-${from + at}`);

describe('D10: codes that are added to a pool', () => {
  let folder: ReturnType<typeof tempFolder>;
  let log: EmbeddedLog;
  let loops: CommandLoop[];

  beforeEach(async () => {
    folder = tempFolder();
    log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
    loops = [];
  });
  afterEach(async () => {
    for (const loop of loops) await loop.close();
    await log.close();
    folder.remove();
  });

  const process = (): Engine => {
    const loop = new CommandLoop({ log, codec, clock, followers: [], machine: thisMachine, guard: openGuard() });
    loops.push(loop);
    return engineOf({ ...thisMachine, loop, log, codec, clock });
  };
  const context = (): ReturnType<typeof newContext> => newContext({ clock, ...thisMachine }, 'operator:ann');
  const add = (engine: Engine, codes: readonly string[]): Promise<unknown> =>
    new NewCodes(engine.writer, 'spa', codes).write(context());
  const events = async (): Promise<readonly (Recorded & InventoryEvent)[]> =>
    (await log.readStream('inventory-spa', 0, 1_000)) as (Recorded & InventoryEvent)[];
  const added = async (): Promise<readonly (readonly string[])[]> =>
    (await events()).flatMap(({ type, data }) => (type === 'codes-added.v1' ? [data.codes] : []));

  it('are stored in parts that each fit an append, and name the event before them', async () => {
    await add(process(), numbered(0, 2_500));
    expect((await added()).map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(await events()).toMatchObject([
      { data: { revision: 0, previous: null, codes_left: 1_000 } },
      { data: { revision: 1, previous: 0, codes_left: 2_000 } },
      { data: { revision: 2, previous: 1, codes_left: 2_500 } },
    ]);
  });

  it('are those that the pool has never had, however many events with codes and others there are', async () => {
    const engine = process();
    for (let at = 0; at < 40; at += 1) {
      await add(engine, [`code-${at}`]);
      const units = { type: 'set-stock', looked: Infinity, units: 100 + at, change_id: `${at}` } as const;
      if (at % 3 === 0) await engine.loop.execute(inventory, 'spa', units, context());
    }
    expect(await add(process(), ['code-0', 'code-20', 'code-39'])).toBeUndefined();
    await add(process(), ['code-0', 'new', 'code-39', 'new']);
    expect((await added()).at(-1)).toEqual(['new']);
    expect(await added()).toHaveLength(41);
  });

  it('are not there twice, though two processes add the same at a time', async () => {
    const one = process();
    const other = process();
    await Promise.all([one, other].map(({ loop }) => loop.read(inventory, 'spa')));
    await Promise.all([add(one, numbered(0, 3_000)), add(other, numbered(1_500, 4_500)), add(one, numbered(0, 10))]);
    const all = (await added()).flat();
    expect([all.length, new Set(all).size]).toEqual([4_500, 4_500]);
  });

  it('are looked at again if others have added some between the look and the decision', async () => {
    const engine = process();
    const execute = engine.loop.execute.bind(engine.loop);
    let meanwhile: (() => Promise<unknown>) | undefined = () => add(process(), ['a', 'b']);
    engine.loop.execute = async (...asked: Parameters<typeof execute>) => {
      const others = meanwhile;
      meanwhile = undefined;
      await others?.();
      return execute(...asked) as never;
    };
    await add(engine, ['b', 'c']);
    expect(await added()).toEqual([['a', 'b'], ['c']]);
  });

  it('are not added while others keep adding some: the call may be repeated', async () => {
    const engine = process();
    const execute = engine.loop.execute.bind(engine.loop);
    let others = 0;
    engine.loop.execute = async (...asked: Parameters<typeof execute>) => {
      await add(process(), [`other-${(others += 1)}`]);
      return execute(...asked) as never;
    };
    await expect(add(engine, ['a'])).rejects.toMatchObject({ name: 'Unavailable' });
    expect((await added()).flat()).not.toContain('a');
    expect(others).toBeLessThan(50);
  });

  it('are not added if the log does not give the older ones, which might be the same', async () => {
    await add(process(), numbered(0, 10));
    const engine = process();
    await engine.loop.read(inventory, 'spa');
    const cut = engineOf({ ...engine, log: { readStream: () => Promise.resolve([]) } });
    await expect(add(cut, ['new'])).rejects.toMatchObject({ name: 'Unavailable', stream: 'inventory-spa' });
    expect(await added()).toHaveLength(1);
  });

  it('are rehearsed on the pool as it is, and nothing is written', async () => {
    const engine = process();
    await add(engine, ['a']);
    const codes = new NewCodes(engine.writer, 'spa', ['a', 'b']);
    await add(process(), ['b', 'c']);
    await codes.rehearse([{ type: 'set-stock', looked: Infinity, units: 9, change_id: 'c' }]);
    expect(await added()).toEqual([['a'], ['b', 'c']]);
    expect(await codes.write(context())).toBeUndefined();
  });
});
