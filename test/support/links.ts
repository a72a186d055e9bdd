import { catalogue, deal } from '#catalogue/model';
import type { CommandContext, CommandLoop, Done } from '#eventsourcing';
import type { Engine } from '#platform';
import { cardLink, engagement, linkage } from '#engagement/model';
import { LinkUser, LinkUserHandler, type CardLinkRow } from '#engagement/module';
import { DAY, type ContextModel, type Position } from '#kernel';
import { newProfile } from '#people';
import { user } from '#people/model';
import { openPeopleEngine } from './people-engine.js';

/** Card-linked deals with one place each, and the user Ann of partner `acme`: handlers of card links without HTTP and views. */
export interface Links {
  readonly engine: Engine;
  readonly ann: string;
  context(): CommandContext;
  /** The command loop of another process. */
  otherLoop(): CommandLoop;
  /** The command loop of a process that decides, and dies before its followers write. */
  dying(): CommandLoop;
  /** Links Ann to a deal. */
  link(dealId: string): Promise<CardLinkRow>;
  /** Another user gets the deal's only place. */
  takeLastPlace(dealId: string): Promise<void>;
  /** The id of Ann's card link. */
  idOf(dealId: string): string;
  /** The state of Ann's card link; `none` if there is none. */
  stateOf(dealId: string): Promise<string>;
  /** How many places are taken. */
  placesOf(dealId: string): Promise<number>;
  /** The last position of the log. */
  head(): Promise<Position>;
  close(): Promise<void>;
}

export async function openLinks(dealIds: readonly string[]): Promise<Links> {
  const { engine, context, otherLoop, close } = await openPeopleEngine([catalogue, engagement]);
  const { loop, clock, keyring, log } = engine;
  const others: CommandLoop[] = [];
  function another(followers: ContextModel['followers']): CommandLoop {
    const other = otherLoop(followers);
    others.push(other);
    return other;
  }
  async function newUser(user_id: string): Promise<string> {
    const profile = await engine.personalData.seal(user_id, newProfile({ email: `${user_id}@example.org` }, 0));
    const registered = { user_id, partner_id: 'acme', profile, password: null, address: 'home', taking: 1 };
    const created_at = clock.now();
    await loop.execute(user, user_id, { type: 'register', user: { ...registered, created_at } }, context());
    return user_id;
  }
  for (const deal_id of dealIds) {
    const run = { start_at: clock.now() - DAY, end_at: clock.now() + DAY };
    const changes = { title: deal_id, region_id: 'boston', type: 'card-linked', max_linkage: 1, ...run } as const;
    await loop.execute(deal, deal_id, { type: 'put', deal_id, changes, arrives: 'approved' }, context());
  }
  const ann = await newUser('ann');
  const linkUser = async (userId: string, dealId: string): Promise<Done<readonly CardLinkRow[]>> =>
    new LinkUserHandler(engine.writer, engine.keyring, engine.clock).execute(
      new LinkUser('acme', userId, [dealId], context()),
    );
  const idOf = (dealId: string): string => keyring.hash('card-link', JSON.stringify([ann, dealId]));

  return {
    engine,
    ann,
    context,
    idOf,
    otherLoop: () => another(engagement.followers),
    dying: () => another([]),
    async link(dealId) {
      const [row] = (await linkUser(ann, dealId)).row;
      if (row === undefined) throw new Error('there is a link');
      return row;
    },
    async takeLastPlace(dealId) {
      await linkUser(await newUser(`rival-for-${dealId}`), dealId);
    },
    stateOf: async (dealId) => (await loop.readNow(cardLink, idOf(dealId))).row?.state ?? 'none',
    placesOf: async (dealId) => (await loop.readNow(linkage, dealId)).linked,
    head: () => log.head(),
    async close() {
      await Promise.all(others.map((each) => each.close()));
      await close();
    },
  };
}
