import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandContext } from '#eventsourcing';
import { openLinks, type Links } from '../../../test/support/links.js';
import { cardLink } from './card-link.decider.js';
import { findLinkableDeal } from './linkable-deal.js';
import { linkage } from './linkage.decider.js';
import { Relink, RelinkHandler } from './relink.commands.js';
import { Unlink, UnlinkHandler } from './unlink.commands.js';

describe('E4, A11: a card link is ended, or linked again, although a process died between a decision and its follower', () => {
  let links: Links;
  let id: string;
  beforeEach(async () => {
    links = await openLinks(['spa']);
    ({ card_link_id: id } = await links.link('spa'));
  });
  afterEach(() => links.close());

  const relink = (context = links.context()): ReturnType<RelinkHandler['execute']> =>
    new RelinkHandler(links.engine.writer, links.engine.clock).execute(new Relink('acme', id, context));
  const unlink = (context = links.context()): ReturnType<UnlinkHandler['execute']> =>
    new UnlinkHandler(links.engine.writer).execute(new Unlink('acme', id, context));
  /** The link leaves its place, or takes one again, and nothing follows. */
  const decideToUnlink = (context: CommandContext): Promise<unknown> =>
    links.dying().execute(cardLink, id, { type: 'unlink' }, context);
  const decideToRelink = async (context: CommandContext): Promise<unknown> => {
    const { deal_id, merchant_id, terms } = await findLinkableDeal(links.engine.writer, links.engine.clock, 'spa');
    const link = { card_link_id: id, deal_id, user_id: links.ann, partner_id: 'acme', merchant_id, turn: 2 };
    return links.dying().execute(linkage, deal_id, { type: 'take', link, terms }, context);
  };
  const now = async (): Promise<readonly [state: string, places: number]> => [
    await links.stateOf('spa'),
    await links.placesOf('spa'),
  ];

  it('the repeat that ends it frees the place', async () => {
    const context = links.context();
    await decideToUnlink(context);
    expect(await now()).toEqual(['unlinked', 1]);
    const { row, position } = await unlink({ ...context, resumed: true });
    expect([row.state, await now()]).toEqual(['unlinked', ['unlinked', 0]]);
    expect(position).toBe(await links.head());
  });

  it('linking it again frees its last place first, which may be the deal’s only one', async () => {
    await decideToUnlink(links.context());
    expect((await relink()).row).toMatchObject({ card_link_id: id, state: 'linked' });
    expect(await now()).toEqual(['linked', 1]);
  });

  // It once freed the places of all former turns again, each in the stream of the deal.
  it('linking it again takes no more steps because it was linked often before', async () => {
    for (let n = 0; n < 5; n += 1) {
      await unlink();
      await relink();
    }
    await unlink();
    const { loop, log } = links.engine;
    const direct = loop.direct.bind(loop);
    const steps: string[] = [];
    loop.direct = (...args) => {
      steps.push(args[0].id);
      return direct(...args);
    };
    const read = log.readStream.bind(log);
    let events = 0;
    log.readStream = async (stream, from, count) => {
      const page = await read(stream, from, count);
      if (stream.startsWith('cardLink-')) events += page.length;
      return page;
    };
    await relink();
    expect([steps, events, await now()]).toEqual([[], 0, ['linked', 1]]);
  });

  it('the repeat that links it again makes the link of its place', async () => {
    await unlink();
    const context = links.context();
    await decideToRelink(context);
    expect(await now()).toEqual(['unlinked', 1]);
    const { row, position } = await relink({ ...context, resumed: true });
    expect([row.state, await now()]).toEqual(['linked', ['linked', 1]]);
    expect(position).toBe(await links.head());
  });

  it('another call does not link what has its place already', async () => {
    await unlink();
    await decideToRelink(links.context());
    await expect(relink()).rejects.toMatchObject({ code: 'card_link_not_changed', message: 'the card link is linked' });
    expect(await links.placesOf('spa')).toBe(1);
  });
});
