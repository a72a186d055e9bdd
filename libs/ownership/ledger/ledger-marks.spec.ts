import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import type { LedgerMark } from '#eventsourcing';
import { KeyValuesInMemory } from '../../../test/support/key-values-in-memory.js';
import { LedgerMarks } from './ledger-marks.js';

const at = (size: number, identity = 'ours'): LedgerMark => ({ identity, size, digest: `${identity} ${size}` });

/** A gateway whose ledger ends at `there`, with the mark that one process knows. */
class GatewayAt {
  mark: LedgerMark | undefined;
  constructor(public there: LedgerMark) {}
  means(mark: LedgerMark | undefined): void {
    this.mark = mark;
  }
  async look(known: LedgerMark | undefined): ReturnType<LedgerMarksGateway['look']> {
    const reached = known === undefined || (known.identity === this.there.identity && known.size <= this.there.size);
    return { mark: this.there, reached };
  }
}
type LedgerMarksGateway = ConstructorParameters<typeof LedgerMarks>[1];

let keyValues: KeyValuesInMemory;
let open: LedgerMarks[];
beforeEach(() => {
  keyValues = new KeyValuesInMemory();
  open = [];
});
afterEach(async () => {
  for (const each of open) await each.close();
});
const marksOf = (gateway: GatewayAt, mayWrite = true): LedgerMarks => {
  const marks = new LedgerMarks(keyValues, gateway, () => mayWrite, thisMachine.time);
  open.push(marks);
  return marks;
};

/** Looks at a ledger whose lines are all known; a ledger that does not reach the known end is returned. */
async function passes(marks: LedgerMarks): Promise<object | undefined> {
  const { known, there, reached } = await marks.look();
  if (!reached) return { known, there };
  await marks.reach(there);
  return undefined;
}

it('the first known end of a ledger is the one that it has, and later the ledger must reach it', async () => {
  const gateway = new GatewayAt(at(10));
  expect(await passes(marksOf(gateway))).toBeUndefined();
  expect(gateway.mark).toEqual(at(10));
  await open[0]?.close();
  expect(await passes(marksOf(new GatewayAt(at(9))))).toMatchObject({ known: at(10), there: at(9) });
});

it('a process saves the end that it knows when it stops, and the saved end never goes back', async () => {
  const [one, other] = [new GatewayAt(at(10)), new GatewayAt(at(10))];
  const [first, second] = [marksOf(one), marksOf(other)];
  await passes(first);
  await passes(second);
  [one.mark, other.mark] = [at(30), at(20)];
  await first.close();
  await second.close();
  expect(await passes(marksOf(new GatewayAt(at(20))))).toMatchObject({ known: at(30), there: at(20) });
});

it('an end that one process accepts counts for all processes, whatever they knew', async () => {
  const other = new GatewayAt(at(30));
  const running = marksOf(other);
  await passes(running);
  await passes(marksOf(new GatewayAt(at(30))));
  await open[1]?.close();
  const accepting = marksOf(new GatewayAt(at(20)));
  expect(await passes(accepting)).toMatchObject({ known: at(30), there: at(20) });
  await accepting.begin(at(20));
  other.there = at(20);
  expect(await passes(running)).toBeUndefined();
  expect(other.mark).toEqual(at(20));
});

it('another ledger that an operator has accepted replaces the known end', async () => {
  const gateway = new GatewayAt(at(30));
  const marks = marksOf(gateway);
  await passes(marks);
  gateway.there = at(5, 'another');
  expect(await passes(marks)).toBeUndefined();
  expect(await passes(marksOf(new GatewayAt(at(4, 'another'))))).toMatchObject({
    known: at(5, 'another'),
    there: at(4, 'another'),
  });
});

it('writes nothing while the log is refused', async () => {
  const gateway = new GatewayAt(at(10));
  const marks = marksOf(gateway, false);
  await passes(marks);
  await marks.close();
  expect(keyValues.texts.size).toBe(0);
});

it('writes nothing to a key store that has gone back', async () => {
  const gateway = new GatewayAt(at(10));
  const marks = marksOf(gateway);
  await passes(marks);
  gateway.there = gateway.mark = at(20);
  await passes(marks);
  keyValues.texts.set('ledger', JSON.stringify(at(10)));
  gateway.mark = at(30);
  await marks.close();
  expect(JSON.parse(keyValues.texts.get('ledger') ?? '')).toEqual(at(10));
});
