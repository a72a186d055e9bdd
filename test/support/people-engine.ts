import { join } from 'node:path';
import { EmbeddedLog, EmbeddedState } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import {
  Codec,
  CommandLoop,
  newContext,
  PersonalData,
  SteppableClock,
  type CommandContext,
  type SnapshotOptions,
} from '#eventsourcing';
import type { ContextModel, Followers } from '#kernel';
import type { Engine } from '#platform';
import { PeopleSettings } from '#people';
import { people } from '#people/model';
import { engineOf as partsOf } from './engine-of.js';
import { openGuard } from './open-guard.js';
import { tempFolder } from './temp-folder.js';

/** What the handlers of a context need, on a log and a key store of their own, without views. Hashing a password is cheap. */
export interface PeopleEngine {
  readonly engine: Engine;
  readonly settings: PeopleSettings;
  /** A new command. */
  context(): CommandContext;
  /** The command loop of another process on the same log, which knows only these followers. By default it has no snapshots. */
  otherLoop(followers: readonly Followers[], snapshots?: SnapshotOptions): CommandLoop;
  /** The engine of the process that has this loop. */
  engineOf(loop: CommandLoop): Engine;
  close(): Promise<void>;
}

/** No caller is refused because the machine is slow. */
const PATIENT = { patience: 60_000 };

/** @param others contexts that it holds beside `people` */
export async function openPeopleEngine(others: readonly ContextModel[] = []): Promise<PeopleEngine> {
  const contexts = [people, ...others];
  const folder = tempFolder();
  const clock = new SteppableClock(Date.now);
  const log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
  const state = await EmbeddedState.open(join(folder.path, 'state.db'), () => Buffer.alloc(32, 7));
  const codec = new Codec(contexts.flatMap(({ events }) => events));
  const loopWith = (followers: readonly Followers[], snapshots?: SnapshotOptions): CommandLoop =>
    new CommandLoop({
      ...{ log, codec, clock, machine: thisMachine, guard: openGuard(), followers, limits: PATIENT },
      ...(snapshots === undefined ? {} : { snapshots }),
    });
  const loop = loopWith(contexts.flatMap(({ followers }) => followers));
  const personalData = new PersonalData(state.keys, thisMachine.randomness);
  const { keyring, vault } = state;
  const engineOf = (own: CommandLoop): Engine =>
    partsOf({ ...thisMachine, loop: own, log, codec, clock, keyring, personalData, vault });
  return {
    engine: engineOf(loop),
    engineOf,
    settings: new PeopleSettings(0, { memory: 64, iterations: 1, parallelism: 1 }),
    context: () => newContext({ clock, randomness: thisMachine.randomness }, 'partner:acme'),
    otherLoop: loopWith,
    async close() {
      await loop.close();
      await log.close();
      await state.close();
      folder.remove();
    },
  };
}
