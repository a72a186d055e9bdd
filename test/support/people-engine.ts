import { join } from 'node:path';
import { EmbeddedLog, EmbeddedState } from '#adapters/embedded';
import {
  Codec,
  CommandLoop,
  Keyring,
  newContext,
  PersonalData,
  SystemClock,
  type CommandContext,
  type Engine,
} from '#eventsourcing';
import { people } from '#people/model';
import { tempFolder } from './temp-folder.js';

/** What the handlers of `people` work with, on a log and a key store of its own, without views. Hashing a password is cheap. */
export interface PeopleEngine {
  readonly engine: Engine;
  /** A new command. */
  context(): CommandContext;
  close(): Promise<void>;
}

export async function openPeopleEngine(): Promise<PeopleEngine> {
  const folder = tempFolder();
  const clock = new SystemClock();
  const keyring = Keyring.of(Buffer.alloc(32, 7));
  const log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
  const state = await EmbeddedState.open(join(folder.path, 'state.db'), keyring);
  const codec = new Codec(people.events);
  const loop = new CommandLoop({ log, codec, clock, followers: people.followers });
  const personalData = new PersonalData(state.keys);
  const passwordHashing = { memory: 64, iterations: 1, parallelism: 1 };
  const parts: Partial<Engine> = { loop, log, codec, keyring, personalData, passwordHashing };
  return {
    engine: parts as Engine,
    context: () => newContext(clock, 'partner:acme'),
    async close() {
      await loop.close();
      await log.close();
      await state.close();
      folder.remove();
    },
  };
}
