import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandContext, CommandLoop } from '#eventsourcing';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { engagement } from '../model.js';
import { cardLink } from './card-link.decider.js';
import { linkage, type TakePlace } from './linkage.decider.js';
import { Linking, type WantedLink } from './linking.js';

const END = Date.parse('2100-01-01T00:00:00Z');
/** A link to a deal with one place. */
const wanted = (deal_id: string): WantedLink => ({
  card_link_id: `ann-${deal_id}`,
  deal_id,
  merchant_id: null,
  terms: { type: 'card-linked', state: 'in-flight', end_at: END, max_linkage: 1 },
});

describe('E3, A11: the links of one call', () => {
  let opened: PeopleEngine;
  beforeEach(async () => {
    opened = await openPeopleEngine([engagement]);
  });
  afterEach(() => opened.close());

  const linkingOf = (context: CommandContext): Linking =>
    new Linking(opened.engine.writer, 'acme', 'ann', context, true);
  /** A process that decided and died before its followers wrote. */
  const dying = (): CommandLoop => opened.otherLoop([]);
  const take = (card_link_id: string, deal_id: string, user_id: string): TakePlace => {
    const link = { card_link_id, deal_id, user_id, partner_id: 'acme', merchant_id: null, turn: 1 };
    return { type: 'take', link, terms: wanted(deal_id).terms };
  };
  const stateOf = async (dealId: string): Promise<string> =>
    (await opened.engine.loop.readNow(cardLink, `ann-${dealId}`)).row?.state ?? 'none';
  const placesOf = async (dealId: string): Promise<number> =>
    (await opened.engine.loop.readNow(linkage, dealId)).linked;

  it('are taken back when another one lost its place, and a repeat makes them anew', async () => {
    const context = opened.context();
    const first = linkingOf(context);
    for (const deal of ['spa', 'tea']) await first.check(wanted(deal));
    await first.make(wanted('spa'));
    await opened.engine.loop.execute(linkage, 'tea', take('bob-tea', 'tea', 'bob'), opened.context());
    await expect(first.make(wanted('tea'))).rejects.toMatchObject({ code: 'card_link_not_changed' });
    await first.undo();
    expect([await stateOf('spa'), await placesOf('spa'), await stateOf('tea')]).toEqual(['none', 0, 'none']);

    const repeat = linkingOf({ ...context, resumed: true });
    expect(await repeat.recall(wanted('spa'))).toBe(false);
    await expect(repeat.check(wanted('tea'))).rejects.toMatchObject({ code: 'card_link_not_changed' });
    expect(await repeat.make(wanted('spa'))).toMatchObject({ state: 'linked', deal_id: 'spa' });
    expect(await placesOf('spa')).toBe(1);
  });

  it('stay when another one lost its place, if another call has answered with them meanwhile', async () => {
    const several = linkingOf(opened.context());
    await several.make(wanted('spa'));
    const other = new Linking(opened.engine.writer, 'acme', 'ann', opened.context(), false);
    expect(await other.keep(wanted('spa'))).toMatchObject({ state: 'linked', deal_id: 'spa' });
    await several.undo();
    expect([await stateOf('spa'), await placesOf('spa')]).toEqual(['linked', 1]);
  });

  it('are made by the other call if they were taken back before it answered', async () => {
    const several = linkingOf(opened.context());
    await several.make(wanted('spa'));
    const other = new Linking(opened.engine.writer, 'acme', 'ann', opened.context(), false);
    await other.make(wanted('spa'));
    await several.undo();
    expect(await other.keep(wanted('spa'))).toMatchObject({ state: 'linked', deal_id: 'spa' });
    expect([await stateOf('spa'), await placesOf('spa')]).toEqual(['linked', 1]);
  });

  it('that an earlier try made are taken back by the repeat that is refused', async () => {
    const context = opened.context();
    await linkingOf(context).make(wanted('spa'));
    const repeat = linkingOf({ ...context, resumed: true });
    expect([await repeat.recall(wanted('spa')), await repeat.recall(wanted('tea'))]).toEqual([true, false]);
    await repeat.undo();
    expect([await stateOf('spa'), await placesOf('spa')]).toEqual(['none', 0]);
  });

  it('that an earlier try took back, and another call made again, are not this call’s to take back', async () => {
    const context = opened.context();
    const first = linkingOf(context);
    await first.make(wanted('spa'));
    await first.undo();
    await linkingOf(opened.context()).make(wanted('spa'));
    const repeat = linkingOf({ ...context, resumed: true });
    expect(await repeat.recall(wanted('spa'))).toBe(false);
    await repeat.undo();
    expect([await stateOf('spa'), await placesOf('spa')]).toEqual(['linked', 1]);
  });

  it('of others stay', async () => {
    await linkingOf(opened.context()).make(wanted('spa'));
    const other = linkingOf(opened.context());
    expect(await other.make(wanted('spa'))).toMatchObject({ state: 'linked' });
    await other.undo();
    expect(await stateOf('spa')).toBe('linked');
  });

  it.each([true, false])('whose card link a crash cut off are completed (by a repeat: %p)', async (resumed) => {
    const context = opened.context();
    await dying().execute(linkage, 'spa', take('ann-spa', 'spa', 'ann'), context);
    expect([await stateOf('spa'), await placesOf('spa')]).toEqual(['none', 1]);
    const next = linkingOf(resumed ? { ...context, resumed } : opened.context());
    expect(await next.recall(wanted('spa'))).toBe(resumed);
    expect(await next.make(wanted('spa'))).toMatchObject({ state: 'linked' });
    expect([await stateOf('spa'), await placesOf('spa')]).toEqual(['linked', 1]);
  });

  it('get their place back when a crash left it taken', async () => {
    await linkingOf(opened.context()).make(wanted('spa'));
    await dying().execute(cardLink, 'ann-spa', { type: 'undo', turn: 1 }, opened.context());
    expect([await stateOf('spa'), await placesOf('spa')]).toEqual(['none', 1]);
    const next = linkingOf(opened.context());
    await next.check(wanted('spa'));
    expect(await next.make(wanted('spa'))).toMatchObject({ state: 'linked' });
    expect(await placesOf('spa')).toBe(1);
  });
});
