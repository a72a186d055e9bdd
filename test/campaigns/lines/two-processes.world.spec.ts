import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isCollection } from 'immutable';
import { thisMachine } from '#adapters/machine';
import {
  AppendOutcomeUnknown,
  Codec,
  CommandLoop,
  type CommandContext,
  type Outcome,
  newCommandId,
} from '#eventsourcing';
import { DomainError, type AnyDecider, type EventBody, type Recorded } from '#kernel';
import {
  inventory,
  noInventory,
  type InventoryEvent,
  type InventoryState,
  purchase,
  purchasing,
} from '#purchasing/model';
import { openGuard } from '../../support/open-guard.js';
import { checkoutOf, claimOf, placeOf, START, terms } from '../../support/sale.js';
import { ScriptedLog, type Fate } from '../../support/scripted-log.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { patience, size } from '../size.js';

/** The gateway's answer with an outcome. */
const PAYMENT = { by: { last4: '4242', gateway: 'sandbox', reference: null }, lost_since: 0 };
const RUNS = size('LINES_ORDERS', 100);
const DEAL = 'spa-day';
const STREAM = `inventory-${DEAL}`;
const STOCK = 6;

/** A command that callers send under one id, any number of times to any process. */
interface Sent {
  readonly decider: AnyDecider;
  readonly id: string;
  readonly command: unknown;
  readonly context: CommandContext;
}

function commands(): readonly Sent[] {
  const to = (decider: unknown, id: string, command: unknown): Sent => {
    const commandId = newCommandId(START, thisMachine.randomness);
    return { decider: decider as AnyDecider, id, command, context: { commandId, correlation: commandId, actor: 'x' } };
  };
  const reservations = ['r0', 'r1', 'r2', 'r3'].flatMap((id, index) => [
    to(inventory, DEAL, placeOf(id, 1 + (index % 2))),
    to(inventory, DEAL, claimOf(id, index % 2 === 0 ? 'ann' : 'bob', 1 + (index % 2))),
    to(inventory, DEAL, { type: 'release', number: 0, reservation_id: id }),
  ]);
  const checkouts = ['p0', 'p1', 'p2'].flatMap((id, index) => [
    to(inventory, DEAL, checkoutOf(id, `user-${index}`, 2)),
    to(
      purchase,
      id,
      index === 1 ? { type: 'declined', reason: 'no money', ...PAYMENT } : { type: 'charged', ...PAYMENT },
    ),
  ]);
  return [...reservations, ...checkouts];
}
const COUNT = commands().length;

const lost = (): never => {
  throw new AppendOutcomeUnknown('the answer was lost');
};
const FATES = ['answered', 'lost', 'unsent', 'late', 'followers lost', 'followers unsent', 'followers late'] as const;

/** A log whose appends have these fates; a late append comes this many appends later. */
function logOf(fates: readonly { readonly fate: (typeof FATES)[number]; readonly by: number }[], knowsIds: boolean) {
  const log = new ScriptedLog(knowsIds);
  const underWay: { readonly at: number; readonly arrive: () => unknown }[] = [];
  const arrive = (until: number): void => {
    for (const each of underWay.splice(0).sort((a, b) => a.at - b.at)) {
      if (each.at <= until) each.arrive();
      else underWay.push(each);
    }
  };
  const arranged = fates.map(({ fate, by }, index): Fate => async (write, list) => {
    arrive(index);
    const others = (results: ReturnType<typeof write>): ReturnType<typeof write> =>
      results.map((result, at) => (at === 0 || result.kind === 'skipped' ? result : { kind: 'unknown' }));
    switch (fate) {
      case 'answered':
        return write();
      case 'lost':
        write();
        return lost();
      case 'unsent':
        return lost();
      case 'late':
        underWay.push({ at: index + by, arrive: write });
        return lost();
      case 'followers lost':
        return others(write());
      case 'followers unsent':
      case 'followers late': {
        const [decision] = log.write(list.slice(0, 1));
        if (decision?.kind !== 'written')
          return [decision ?? lost(), ...list.slice(1).map(() => ({ kind: 'skipped' }) as const)];
        for (const follower of fate === 'followers late' ? list.slice(1) : []) {
          underWay.push({ at: index + by, arrive: () => log.write([follower]) });
        }
        return [decision, ...list.slice(1).map(() => ({ kind: 'unknown' }) as const)];
      }
    }
  });
  return { log, arranged, arrive };
}

/** The number of a reservation's hold; undefined if nobody placed it. */
function numberOf(reservation: string, events: readonly Recorded[]): number | undefined {
  const placed = events.find(
    ({ type, data }) =>
      type === 'hold-placed.v1' && (data as { readonly reservation_id: string }).reservation_id === reservation,
  );
  return (placed?.data as { readonly number: number } | undefined)?.number;
}

function plain(state: InventoryState): string {
  return JSON.stringify(Object.entries(state).map(([name, part]) => [name, isCollection(part) ? part.toJS() : part]));
}

/** The states after each of the deal's events. */
function statesOf(events: readonly Recorded[]): readonly string[] {
  let state = noInventory;
  return [
    plain(state),
    ...events.map((event) => plain((state = inventory.evolve(state, event as unknown as InventoryEvent)))),
  ];
}

const asked = fc.record({ loop: fc.nat(1), command: fc.nat(COUNT - 1), turns: fc.nat(8) });
const fates = fc.array(fc.record({ fate: fc.constantFrom(...FATES), by: fc.integer({ min: 1, max: 6 }) }), {
  maxLength: 24,
});

describe('two processes run one command under one id, in every order, and answers are lost, late and repeated', () => {
  it.each([true, false])(
    'D1 D3 D4 A11: nothing is oversold, nothing acknowledged is missing, and each knows what the log has (it knows ids: %s)',
    async (knowsIds) => {
      await fc.assert(
        fc.asyncProperty(fc.array(asked, { minLength: 4, maxLength: 40 }), fates, async (asks, fated) => {
          const { log, arranged, arrive } = logOf(fated, knowsIds);
          // Their clocks differ, so that one process never mistakes the other's event for its own.
          const loops = [START, START + 3_000].map(
            (now) =>
              new CommandLoop({
                log,
                codec: new Codec(purchasing.events),
                clock: { now: () => now },
                followers: purchasing.followers,
                limits: { repeatAfter: 1 },
                machine: thisMachine,
                guard: openGuard(),
              }),
          );
          const [first, second] = loops as [CommandLoop, CommandLoop];
          const context = { commandId: newCommandId(START, thisMachine.randomness), correlation: 'x', actor: 'x' };
          await first.execute(inventory, DEAL, { type: 'set-terms', terms: terms() }, context);
          await first.execute(
            inventory,
            DEAL,
            { type: 'set-stock', looked: Infinity, units: STOCK, change_id: 'c' },
            context,
          );
          log.fates.push(...arranged);

          const sent = commands();
          const placing = new Map<string, Promise<unknown>[]>();
          const answers: Promise<{ command: number; outcome?: Outcome<unknown, EventBody> }>[] = [];
          for (const { loop, command, turns } of asks) {
            for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
            const { decider, id, command: made, context: same } = sent[command] as Sent;
            const present = loop === 0 ? first : second;
            const { type, reservation_id, purchase_id } = made as Readonly<Record<string, string>>;
            // A handler claims and releases only what is placed, so it knows the number.
            const own = reservation_id ?? purchase_id ?? '';
            const asked = ['claim', 'release'].includes(type ?? '')
              ? Promise.allSettled(placing.get(own) ?? []).then(async () => {
                  const number = numberOf(own, log.events);
                  if (number === undefined) return undefined;
                  return present.execute(decider, id, { ...(made as object), number }, { ...same });
                })
              : present.execute(decider, id, made, { ...same });
            if (type === 'place-hold') placing.set(own, [...(placing.get(own) ?? []), asked]);
            answers.push(
              asked.then(
                (outcome) => (outcome === undefined ? { command } : { command, outcome }),
                (error: unknown) => {
                  if (!(error instanceof DomainError)) throw error;
                  return { command };
                },
              ),
            );
          }
          const answered = await Promise.all(answers);
          arrive(Infinity);

          expectSoundLog(log.events);
          const idsOf = (...types: string[]): unknown[] =>
            log.events.flatMap(({ type, data }) => {
              const { reservation_id, purchase_id } = data as { reservation_id?: string; purchase_id?: string };
              return types.includes(type) ? [reservation_id ?? purchase_id] : [];
            });
          const begun = idsOf('hold-placed.v1', 'checkout-started.v1');
          expect(begun).toEqual([...new Set(begun)]);

          const there = new Map(log.events.map((event) => [event.id, event]));
          expect(there.size).toBe(log.events.length);
          for (const { outcome } of answered) {
            for (const { id, stream, revision, data } of [
              ...(outcome?.events ?? []),
              ...(outcome?.followers ?? []),
            ] as Recorded[]) {
              expect(there.get(id)).toMatchObject({ stream, revision, data });
            }
          }
          const soldIds = answered.flatMap(({ command, outcome }) => {
            const { type, reservation_id, purchase_id } = sent[command]?.command as Record<string, string>;
            const begins = type === 'place-hold' || type === 'start-checkout' || type === 'claim';
            return begins && outcome !== undefined ? [reservation_id ?? purchase_id] : [];
          });
          // A claim without a hold takes fresh units, and the reservation is then done.
          expect([...begun, ...idsOf('units-sold.v1')]).toEqual(expect.arrayContaining(soldIds));

          const states = statesOf(log.of(STREAM));
          for (const loop of loops) {
            expect(states).toContain(plain(await loop.read(inventory, DEAL)));
            loop.outdate({ stream: STREAM, revision: states.length - 2 });
            expect(plain(await loop.read(inventory, DEAL))).toBe(states.at(-1));
            await loop.close();
          }
        }),
        { numRuns: RUNS },
      );
    },
    patience(RUNS, 2_000),
  );
});
