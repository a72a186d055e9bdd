import { expect, it } from '@jest/globals';
import { inventory, type InventoryCommand, type InventoryState } from '#purchasing/model';
import { claimOf, placeOf, returnOf, START, terms } from '../../support/sale.js';
import { patience, size, tell } from '../size.js';

const SALES = size('SCALE', 10_000);
const BUYERS = 1_000;

// In memory: the decider alone decides, and nothing is written.
it(
  `D12: a return that is sent twice, ${SALES} sales apart, returns one unit; a maximum set after them counts all`,
  () => {
    const { asMutable = (state: InventoryState) => state, asImmutable = (state: InventoryState) => state } =
      inventory.transient ?? {};
    let state = inventory.initialState;
    const decide = (command: InventoryCommand) => inventory.decide(command, state, START);
    const run = (command: InventoryCommand): void => {
      for (const event of decide(command)) state = inventory.evolve(state, event);
    };
    run({ type: 'set-terms', terms: terms() });
    for (const command of [placeOf('first', 2), claimOf('first', 'ann', 2), returnOf('first', 'ann', 1)]) run(command);

    const began = performance.now();
    state = asMutable(state);
    for (let nth = 1; nth <= SALES; nth += 1) {
      run(placeOf(`r${nth}`));
      run(claimOf(`r${nth}`, `user-${nth % BUYERS}`, 1, nth));
    }
    state = asImmutable(state);
    tell('SCALE', `${SALES} sales decided and folded in ${((performance.now() - began) / 1_000).toFixed(1)} s`);

    expect(state).toMatchObject({ sold: SALES + 1, held: 0 });
    expect(state.recent.closings).toBe(SALES + 1);
    expect(decide(returnOf('first', 'ann', 1))).toEqual([]);
    expect(decide(claimOf('first', 'ann', 2))).toEqual([]);
    expect(decide(returnOf('first', 'ann', 0))).toMatchObject([{ type: 'unit-returned.v1', data: { sold: SALES } }]);

    run({ type: 'set-terms', terms: terms({ deal_revision: 1, max_per_user: 2 }) });
    run(placeOf('more'));
    const more = (user: string): unknown => decide(claimOf('more', user, 1, SALES + 1));
    expect(more('ann')).toHaveLength(1);
    run(claimOf('more', 'ann', 1, SALES + 1));
    run(placeOf('one more'));
    for (const user of ['ann', 'user-7']) {
      const units = user === 'ann' ? 2 : SALES / BUYERS;
      expect(() => decide(claimOf('one more', user, 1, SALES + 2))).toThrow(
        `the user may buy at most 2 units, and has ${units} already`,
      );
    }
  },
  patience(SALES, 1),
);
