import { EventStoreDbLog } from '#adapters/eventstoredb';
import { thisMachine } from '#adapters/machine';
import { Codec, CommandLoop, LogFollower, SystemClock, Unavailable, type EventLog } from '#eventsourcing';
import { DomainError, type AnyDecider, type Recorded } from '#kernel';
import { user, wallet, people } from '#people/model';
import { inventory, purchase, purchasing, type InventoryCommand } from '#purchasing/model';
import { withHoldNumber } from '../../support/hold-number.js';
import { openGuard } from '../../support/open-guard.js';
import type { Attempt } from './append-watch.js';

/** A command to an aggregate, under an id that its repeat has, too. */
export interface Sent {
  readonly decider: 'inventory' | 'purchase' | 'user' | 'wallet';
  readonly id: string;
  readonly command: object;
  readonly commandId: string;
}

/** `yes`: its events, none if nothing changed; `no`: refused; `away`: try again later. */
export type Answer =
  | { readonly kind: 'yes'; readonly events: readonly Omit<Recorded, 'position'>[] }
  | { readonly kind: 'no'; readonly code: string }
  | { readonly kind: 'away' };

export interface ApiOptions {
  /** Its name: the actor of its events. */
  readonly name: string;
  readonly url: string;
  readonly prefix: string;
  /** Milliseconds after which a caller gets `away`. */
  readonly patience: number;
}

/** Commands that arrive together, and are decided together if they go to one stream. */
export interface Question {
  readonly kind: 'ask';
  readonly number: number;
  readonly commands: readonly Sent[];
}

/** An answer to one of them, or the command ids of an append that it sends. */
export type ApiMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly number: number; readonly index: number; readonly answer: Answer }
  | ({ readonly kind: 'sends' } & Attempt);

const DECIDERS = { inventory, purchase, user, wallet } as unknown as Record<Sent['decider'], AnyDecider>;

/** The command loop of an API with its own connection to the log, in a process of its own. */
async function serve({ name, url, prefix, patience }: ApiOptions): Promise<void> {
  const say = (message: ApiMessage): void => void process.send?.(message);
  const log = await EventStoreDbLog.open({ url: `${url}&connectionName=${name}`, prefix });
  const followers = [...purchasing.followers, ...people.followers];
  const codec = new Codec([...purchasing.events, ...people.events]);
  const loop = new CommandLoop({
    log: reporting(log, say),
    codec,
    clock: new SystemClock(Date.now),
    followers,
    limits: { patience },
    machine: thisMachine,
    guard: openGuard(),
  });
  // As in every process that shares the log: it reads the other one's writes before it decides.
  const nothing = (): void => undefined;
  await LogFollower.start(
    log,
    { event: (event) => loop.outdate(event), reached: nothing, failed: nothing },
    thisMachine.time,
  );
  process.on('message', ({ number, commands }: Question) => {
    for (const [index, each] of commands.entries()) {
      void answer(loop, name, each).then((given) => say({ kind: 'answer', number, index, answer: given }));
    }
  });
  say({ kind: 'ready' });
}

async function answer(loop: CommandLoop, name: string, { decider, id, command, commandId }: Sent): Promise<Answer> {
  try {
    const context = { commandId, correlation: commandId, actor: `partner:${name}` };
    const present = decider === 'inventory' ? await withHoldNumber(loop, command as InventoryCommand) : command;
    const { events, followers } = await loop.execute(DECIDERS[decider], id, present, context);
    return {
      kind: 'yes',
      events: [...events, ...followers].map(({ id, stream, revision, type, data, metadata }) => ({
        id,
        stream,
        revision,
        type,
        data,
        metadata,
      })),
    };
  } catch (error) {
    if (error instanceof DomainError) return { kind: 'no', code: error.code };
    if (error instanceof Unavailable) return { kind: 'away' };
    throw error;
  }
}

/** Wraps the log, so that it reports every decision that is sent to it. */
function reporting(log: EventLog, say: (sent: ApiMessage) => void): EventLog {
  const append = log.append.bind(log);
  log.append = (list) => {
    const [{ stream, expected, events }] = list;
    say({
      kind: 'sends',
      stream,
      expected,
      commandIds: [...new Set(events.map(({ metadata }) => metadata.command_id))],
    });
    return append(list);
  };
  return log;
}

await serve(JSON.parse(process.argv[2] ?? '') as ApiOptions);
