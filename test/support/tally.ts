import { thisMachine } from '#adapters/machine';
import { Codec, type CommandContext, newCommandId } from '#eventsourcing';
import {
  DomainError,
  begin,
  defineDecider,
  defineEventTypes,
  defineFollowers,
  defineView,
  type EventMetadata,
  type EventOf,
  type Instant,
} from '#kernel';

declare module '#kernel' {
  interface DomainCodes {
    /** Only tests cause it. */
    full: 'handled';
  }
}

/** A made-up aggregate for tests of the engine: it counts, refuses above a cap, and copies its counts to other streams. */
export type TallyEvent = EventOf<
  'added.v1',
  {
    readonly key: string;
    readonly total: number;
    readonly at: Instant;
    readonly copies: readonly string[];
    readonly filling: string;
  }
>;
export type CopyEvent = EventOf<'copied.v1', { readonly key: string; readonly at: Instant }>;

export interface Add {
  readonly key: string;
  /** The number of events; 1 by default. */
  readonly times?: number;
  /** The command is refused if the total would pass it. */
  readonly cap?: number;
  /** The ids of the streams that each event is copied to. */
  readonly copies?: readonly string[];
  /** Characters of filling in each event. */
  readonly filling?: number;
}

export interface TallyState {
  readonly total: number;
  readonly keys: readonly string[];
}

export const tally = defineDecider<Add, TallyState, TallyEvent>({
  category: 'tally',
  initialState: { total: 0, keys: [] },
  decide({ key, times = 1, cap = Infinity, copies = [], filling = 0 }, { total, keys }, now) {
    if (keys.includes(key)) return [];
    if (total + times > cap) throw new DomainError('full', `${total} of ${cap}`);
    return Array.from({ length: times }, (_, index) => ({
      type: 'added.v1',
      data: {
        key: index === 0 ? key : `${key}.${index}`,
        total: total + index + 1,
        at: now,
        copies,
        filling: 'x'.repeat(filling),
      },
    }));
  },
  evolve: ({ keys }, { data: { total, key } }) => ({ total, keys: [...keys, key] }),
});

export const copy = defineDecider<{ readonly key: string }, readonly string[], CopyEvent>({
  category: 'copy',
  initialState: [],
  decide: ({ key }, keys, now) => (keys.includes(key) ? [] : [{ type: 'copied.v1', data: { key, at: now } }]),
  evolve: (keys, { data }) => [...keys, data.key],
});

export const tallyFollowers = defineFollowers(tally, {
  'added.v1': ({ data: { key, copies } }) => copies.map((id) => begin(copy, id, { key })),
});

export const tallyTypes = [
  defineEventTypes<TallyEvent>('tally', { 'added.v1': true }),
  defineEventTypes<CopyEvent>('copy', { 'copied.v1': true }),
];
export const tallyCodec = new Codec(tallyTypes);

/** One row per tally, with its total and its keys. */
export const tallyView = defineView<{ readonly total: number; readonly keys: readonly string[] }, TallyEvent>({
  name: 'tallies',
  version: 1,
  key: (event) => event.stream,
  on: { 'added.v1': (row, { data }) => ({ total: data.total, keys: [...(row?.keys ?? []), data.key] }) },
});

export function contextAt(now: Instant = 1_000): CommandContext {
  const commandId = newCommandId(now, thisMachine.randomness);
  return { commandId, correlation: `request-${commandId}`, actor: 'partner:test' };
}

export function metadataAt(time: Instant): EventMetadata {
  return {
    time,
    command_id: newCommandId(time, thisMachine.randomness),
    correlation: 'c',
    causation: null,
    actor: 'partner:rival',
  };
}

/** An event of a rival process. */
export function added(
  key: string,
  total: number,
  time: Instant = 1,
): TallyEvent & { id: string; metadata: EventMetadata } {
  const metadata = metadataAt(time);
  return {
    id: metadata.command_id,
    type: 'added.v1',
    data: { key, total, at: time, copies: [], filling: '' },
    metadata,
  };
}
