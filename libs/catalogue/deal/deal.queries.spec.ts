import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { thisMachine } from '#adapters/machine';
import { Freshness, type StoredRow } from '#eventsourcing';
import type { Engine } from '#platform';
import { views as registered } from '#platform/model';
import { holdExpiry } from '#purchasing/model';
import type { Regions } from '../region/regions.js';
import { regionsView } from '../region/region.view.js';
import { dealListingView } from './deal-listing.view.js';
import { GetDeal, GetDealHandler, SeeDeal, SeeDealHandler, type SeenDeal } from './deal.queries.js';
import { dealsView } from './deal.view.js';
import { unitsLeft } from './units-left.js';
import { engineOf } from '../../../test/support/engine-of.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';

const STOCK = 400;
const NOW = 1_800_000_000_000;

interface Hold {
  readonly due_at: number;
  readonly quantity: number;
}

/** A deal's held units and open holds at a position. Expired holds close one by one while new ones are placed. */
interface Recorded {
  readonly held: number;
  readonly open: readonly Hold[];
}

/** @param late holds that have run out at its beginning */
function storyOf(changes: readonly ('expired' | 'placed')[], late: number): readonly Recorded[] {
  let open: readonly Hold[] = Array.from({ length: 40 }, (_, n) => ({ due_at: NOW - late + 1 + n, quantity: 5 }));
  const story = [{ held: 200, open }];
  for (const change of changes) {
    const ended = open.findIndex(({ due_at }) => due_at <= NOW);
    if (change === 'placed') open = [...open, { due_at: NOW + 1, quantity: 1 }];
    else if (ended >= 0) open = open.toSpliced(ended, 1);
    story.push({ held: open.reduce((sum, { quantity }) => sum + quantity, 0), open });
  }
  return story;
}

/** Views that a projector commits one after another, with readers that keep their snapshot. */
class Views {
  /** No view is ever late: only its position decides. */
  readonly freshness = new Freshness(new VirtualTime());
  #listed = 0;
  #holds = 0;
  #reported = 0;
  #heldListing: number | undefined;
  #heldHolds: number | undefined;

  constructor(
    private readonly story: readonly Recorded[],
    private readonly pauses: () => number,
  ) {
    this.#report();
  }

  /** The projector's next step: it writes one view, then the other, then announces its position. */
  step(): void {
    if (this.#holds < this.#listed) this.#holds = this.#listed;
    else if (this.#reported < this.#holds) this.#report();
    else if (this.#listed < this.story.length - 1) this.#listed += 1;
  }

  #report(): void {
    this.refresh();
    this.#reported = this.#holds;
    const position = BigInt(this.#reported);
    this.freshness.reached(
      [dealsView, dealListingView, holdExpiry.view, regionsView].map(({ name }) => ({ view: name, position })),
    );
  }

  refresh(): void {
    [this.#heldListing, this.#heldHolds] = [undefined, undefined];
  }

  reader(view: object): object {
    if (view === dealsView) return { get: async () => ({ position: 0n, row: { attributes: { region_id: 'r' } } }) };
    return view === dealListingView ? { get: () => this.#listing() } : this.#holdReader();
  }

  #holdReader(): object {
    return { find: () => this.#late(), count: async () => (await this.#late()).length };
  }

  async #listing(): Promise<Partial<StoredRow>> {
    await this.#meanwhile();
    const at = (this.#heldListing ??= this.#listed);
    const units = { stock: STOCK, held: this.story[at]?.held, sold: 0, codes_left: null };
    return { position: BigInt(at), row: { units } };
  }

  async #late(): Promise<readonly object[]> {
    await this.#meanwhile();
    const at = (this.#heldHolds ??= this.#holds);
    return (this.story[at]?.open ?? []).filter(({ due_at }) => due_at <= NOW).map((row) => ({ row }));
  }

  /** Some steps of the projector happen before each read. */
  async #meanwhile(): Promise<void> {
    for (let steps = this.pauses(); steps > 0; steps -= 1) this.step();
    await turn();
  }
}

/** Turns in which the projector does nothing, at most. */
const LONGEST_PAUSE = 20;

describe('one deal', () => {
  /** Asks while the projector goes on through a story. */
  const duringAnyStory = (
    lateAtFirst: number,
    ask: (engine: Engine) => Promise<(story: readonly Recorded[]) => void>,
  ): Promise<void> =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('expired', 'placed'), { minLength: 5, maxLength: 60 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 4 })),
        async (changes, pauses) => {
          const story = storyOf(changes, lateAtFirst);
          const views = new Views(story, () => pauses.next().value ?? 0);
          const engine = engineOf({ views, freshness: views.freshness, clock: { now: () => NOW } });
          const asked = ask(engine);
          const projector = { runs: true };
          void asked.catch(() => undefined).then(() => (projector.runs = false));
          for (let turns = 1; projector.runs; turns += 1) {
            // It goes on at last: some streams of pauses never have a 0, and a reader waits only two seconds.
            if (pauses.next().value === 0 || turns % LONGEST_PAUSE === 0) views.step();
            await turn();
          }
          (await asked)(story);
        },
      ),
      { numRuns: 300 },
    );
  const lateIn = ({ open }: Recorded): readonly Hold[] => open.filter((each) => each.due_at <= NOW);

  it('3.2 D1 B3: has its units and expired holds as of one position, whatever the projector commits meanwhile', () =>
    duringAnyStory(20, async (engine) => {
      const regions = { stored: () => Promise.resolve(undefined) } as unknown as Regions;
      const { units, ranOut } = await new GetDealHandler(
        engine.reader,
        engine.clock,
        regions,
        thisMachine.time,
      ).execute(new GetDeal('spa', 0n));
      return (story) => {
        const right = story.map((each) => `${STOCK - each.held + sumOf(lateIn(each))}`);
        expect(right).toContain(String(unitsLeft(units, ranOut)));
      };
    }));

  it('3.2 D1 B3: is seen as of a position at which none of its holds had run out', async () => {
    let seen = 0;
    await duringAnyStory(1, async (engine) => {
      const handler = new SeeDealHandler(engine.reader, engine.clock);
      let found: SeenDeal | undefined;
      for (let tries = 0; found === undefined && tries < 20; tries += 1) {
        found = await handler.execute(new SeeDeal('spa', 0n));
      }
      return (story) => {
        if (found === undefined) return;
        seen += 1;
        expect(lateIn(story[Number(found.listed.position)] ?? { held: 0, open: [] })).toEqual([]);
      };
    });
    expect(seen).toBeGreaterThan(0);
  });

  it('relies on this order of the views', () => {
    const at = (name: string): number => registered.findIndex((view) => view.name === name);
    expect(at(dealListingView.name)).toBeGreaterThanOrEqual(0);
    expect(at(dealListingView.name)).toBeLessThan(at(holdExpiry.view.name));
  });
});

function sumOf(holds: readonly Hold[]): number {
  return holds.reduce((sum, { quantity }) => sum + quantity, 0);
}
