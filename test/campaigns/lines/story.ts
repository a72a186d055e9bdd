import { setTimeout as pause } from 'node:timers/promises';
import type { Recorded } from '#kernel';
import type { Line } from '../../support/eventstoredb/line.js';
import type { Api } from './api.js';
import type { Answer, Sent } from './api.child.js';
import { type Arrived, type Met, whatMet } from './append-watch.js';
import { missingAndMoved, oversoldAndShortened, type Faults } from './books.js';
import { KINDS, newDeal, newSale, type Kind } from './sales.js';

/** Two APIs; the line of the first one breaks. */
export interface Lane {
  readonly a: Api;
  readonly b: Api;
  readonly line: Line;
  readonly read: (stream: string) => Promise<readonly Recorded[]>;
  readonly arrived: (stream: string) => readonly Arrived[];
}

export interface StoryResult extends Faults, Met {
  readonly sold: readonly Kind[];
}

const UNITS = 10;
const BUYERS = 14;
/** The milliseconds before a caller tries again, and those within which there must be an answer. */
const COMES_AGAIN = 20;
const MUST_END_WITHIN = 240_000;

const randomBelow = (most: number): number => Math.floor(Math.random() * most);
const either = <T>(...of: readonly [T, ...T[]]): T => of[randomBelow(of.length)] ?? of[0];

/**
 * One deal's story. A has a batch under way when its line is stalled; the caller of the first command repeats it at B under the
 * same command id, and B writes it; then A's line is cut, and what was on it is lost, or it is released, and it comes late. After
 * that both sell what is left, and more.
 */
export async function tellStory(
  { a, b, line, read, arrived }: Lane,
  deal: string,
  how: 'cut' | 'let go',
): Promise<StoryResult> {
  const until = performance.now() + MUST_END_WITHIN;
  const answers: Answer[] = [];
  /** Sales whose units an answer promised, by kind. */
  const taken = new Map<string, Kind>();

  /** Repeats a command until there is an answer; each time at one of these. */
  const settle = async (sent: Sent, ...at: readonly [Api, ...Api[]]): Promise<Answer> => {
    for (;;) {
      const answer = await either(...at).ask(sent)[0];
      if (answer === undefined || performance.now() > until)
        throw new Error(`${deal}: ${JSON.stringify(sent)} comes to nothing`);
      answers.push(answer);
      if (answer.kind !== 'away') return answer;
      await pause(COMES_AGAIN);
    }
  };
  const inOrder = async (steps: readonly Sent[], ...at: readonly [Api, ...Api[]]): Promise<void> => {
    for (const step of steps) await settle(step, ...at);
  };

  await inOrder(newDeal(deal, UNITS), b);
  // A knows the deal, and a hold that it may have to claim.
  const held = newSale(deal, 'claim', 1);
  await settle(held.takes, a);
  taken.set(held.id, 'claim');

  const size = how === 'cut' ? 2 + randomBelow(2) : 1 + randomBelow(3);
  const sales = Array.from({ length: size }, () => newSale(deal, either(...KINDS), 1 + randomBelow(2)));
  await Promise.all(sales.map(({ before }) => inOrder(before, b)));
  const batch = sales.map(({ takes }) => takes);
  const [claim] = held.after;
  if (claim !== undefined && randomBelow(4) === 0) batch.unshift(claim);

  line.stall('requests');
  const atA = a.ask(...batch);
  await pause(randomBelow(40));
  const first = batch[0] as Sent;
  const atB = settle(first, b);
  if (how === 'cut') {
    await pause(randomBelow(150));
    line.cut();
    await pause(randomBelow(either(300, 1_500)));
    line.release();
    await line.mend();
  } else {
    if (randomBelow(5) > 0) await atB;
    // Sometimes so long that A gives the connection up for a new one.
    await pause(randomBelow(10) === 0 ? 3_000 + randomBelow(3_000) : randomBelow(either(100, 700)));
    line.release();
  }
  const known = await Promise.all(
    atA.map(async (asked, index) => {
      const answer = await asked;
      answers.push(answer);
      return answer.kind === 'away' ? settle(batch[index] as Sent, a, b) : answer;
    }),
  );
  await atB;
  for (const sale of sales) if (known[batch.indexOf(sale.takes)]?.kind === 'yes') taken.set(sale.id, sale.kind);
  await Promise.all(
    sales.filter(({ id }) => taken.has(id) && randomBelow(2) === 0).map(({ after }) => inOrder(after, a, b)),
  );

  await Promise.all(
    Array.from({ length: BUYERS }, async (_, buyer) => {
      const at = buyer % 2 === 0 ? a : b;
      const sale = newSale(deal, either(...KINDS), 1 + randomBelow(2));
      await inOrder(sale.before, at);
      if ((await settle(sale.takes, at)).kind !== 'yes') return;
      taken.set(sale.id, sale.kind);
      if (randomBelow(3) > 0) await inOrder(sale.after, a, b);
    }),
  );

  const events = await read(`inventory-${deal}`);
  const begun = new Set(
    events.flatMap(({ data }) => Object.values(data as { reservation_id?: string; purchase_id?: string })),
  );
  const unknown = [...taken.keys()].filter((id) => !begun.has(id));
  const [added, against] = [oversoldAndShortened(events), await missingAndMoved(answers, read)];
  return {
    oversold: added.oversold,
    missing: against.missing + unknown.length,
    moved: added.moved + against.moved,
    ...whatMet(
      a.attempts.filter(({ stream }) => stream === `inventory-${deal}`),
      arrived(`inventory-${deal}`),
    ),
    sold: [...taken.values()],
  };
}
