import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandLoop } from '#eventsourcing';
import { cardLink, engagement, linkage } from '#engagement/model';
import { Linking, type WantedLink } from '#engagement/module';
import { people } from '#people/model';
import { DomainError } from '#kernel';
import { openPeopleEngine, type PeopleEngine } from '../../support/people-engine.js';
import { patience, size, tell } from '../size.js';
import { engineOf } from '../../support/engine-of.js';

const DEALS = size('RACES', 10);
const USERS = 64;
const PLACES = 5;

/** Each loop has its own caches and queues, like two processes on one log: they only learn of each other from the log. */
describe('64 users race for 5 places through two command loops on one log', () => {
  let opened: PeopleEngine;
  let loops: readonly CommandLoop[];

  beforeAll(async () => {
    opened = await openPeopleEngine([engagement]);
    const other = opened.otherLoop([...people.followers, ...engagement.followers]);
    loops = [opened.engine.loop, other];
  });
  afterAll(async () => {
    await loops[1]?.close();
    await opened.close();
  });

  const wanted = (user: string, deal_id: string): WantedLink => ({
    card_link_id: `${user}-${deal_id}`,
    deal_id,
    merchant_id: null,
    terms: { type: 'card-linked', state: 'in-flight', end_at: Number.MAX_SAFE_INTEGER, max_linkage: PLACES },
  });

  /** Links a user to these deals, or to none, through one of the loops. Tells whether it did. */
  async function link(at: number, deals: readonly string[]): Promise<boolean> {
    const user = `user${at}`;
    const { writer } = engineOf({ ...opened.engine, loop: loops[at % 2] ?? opened.engine.loop });
    const linking = new Linking(writer, 'racer', user, opened.context(), deals.length > 1);
    try {
      for (const deal of deals) await linking.make(wanted(user, deal));
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await linking.undo();
      return false;
    }
  }

  const users = [...Array(USERS).keys()];
  const readNow = (user: number, deal: string): Promise<boolean> =>
    opened.engine.loop.readNow(cardLink, `user${user}-${deal}`).then(({ row }) => row?.state === 'linked');

  it(
    `E4: exactly 5 are linked to each of ${DEALS} deals, and as many again when some have left`,
    async () => {
      for (let index = 0; index < DEALS; index += 1) {
        const deal = `one${index}`;
        const won = await Promise.all(users.map((user) => link(user, [deal])));
        expect(won.filter(Boolean)).toHaveLength(PLACES);
        const leaving = users.filter((user) => won[user]).slice(0, 2);
        const [again] = await Promise.all([
          Promise.all(users.filter((user) => !won[user]).map((user) => link(user, [deal]))),
          ...leaving.map((user) =>
            (loops[index % 2] ?? opened.engine.loop).execute(
              cardLink,
              `user${user}-${deal}`,
              { type: 'unlink' },
              opened.context(),
            ),
          ),
        ]);
        const late = await Promise.all(users.filter((user) => !won[user]).map((user) => link(user, [deal])));
        const states = await Promise.all(users.map((user) => readNow(user, deal)));
        expect(states.filter(Boolean)).toHaveLength(PLACES);
        // Whoever won in the second round finds their link in the third.
        expect(late.filter(Boolean)).toHaveLength(2);
        expect(again.filter(Boolean).length).toBeLessThanOrEqual(2);
        expect((await opened.engine.loop.readNow(linkage, deal)).linked).toBe(PLACES);
      }
      tell('RACES', `${DEALS} deals, ${DEALS * USERS} callers through two loops`);
    },
    patience(DEALS, 10_000),
  );

  it(
    `E3: of two deals each user has both or none, in each of ${DEALS} pairs`,
    async () => {
      for (let index = 0; index < DEALS; index += 1) {
        const pair = [`left${index}`, `right${index}`] as const;
        const won = await Promise.all(
          users.map((user) => link(user, user % 4 < 2 ? pair : ([pair[1], pair[0]] as const))),
        );
        for (const user of users) {
          const has = await Promise.all(pair.map((deal) => readNow(user, deal)));
          expect(has).toEqual([won[user], won[user]]);
        }
        for (const deal of pair) {
          const { linked } = await opened.engine.loop.readNow(linkage, deal);
          expect(linked).toBe(won.filter(Boolean).length);
          expect(linked).toBeLessThanOrEqual(PLACES);
        }
      }
    },
    patience(DEALS, 10_000),
  );
});
