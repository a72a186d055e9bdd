import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Unavailable, type CommandContext, type CommandLoop } from '#eventsourcing';
import { openLinks, type Links } from '../../../test/support/links.js';
import { linkage } from './linkage.decider.js';
import { LinkUser, LinkUserHandler } from './link-user.commands.js';

type Parts = ConstructorParameters<typeof LinkUserHandler>[0];

describe('E3, A11: a user is linked to several deals', () => {
  let links: Links;
  beforeEach(async () => {
    links = await openLinks(['spa', 'tea']);
  });
  afterEach(() => links.close());

  const link = (context: CommandContext, deals: readonly string[], parts: Parts = links.engine): Promise<unknown> =>
    new LinkUserHandler(parts).execute(new LinkUser('acme', links.ann, deals, context));
  /** The handler's parts; whatever it asks of a deal's places is answered with a 503. */
  function withoutPlacesOf(dealId: string): Parts {
    const { log, codec, clock, randomness, keyring } = links.engine;
    const loop = links.otherLoop();
    const execute = loop.execute.bind(loop) as (...args: readonly unknown[]) => Promise<unknown>;
    loop.execute = ((...args: readonly unknown[]) =>
      args[0] === linkage && args[1] === dealId
        ? Promise.reject(new Unavailable('the log does not answer', 1))
        : execute(...args)) as CommandLoop['execute'];
    return { log, codec, clock, randomness, keyring, loop };
  }

  it('a refusal that took links back says how far the log is', async () => {
    const context = links.context();
    await expect(link(context, ['spa', 'tea'], withoutPlacesOf('tea'))).rejects.toThrow(Unavailable);
    await links.takeLastPlace('tea');
    const refusal: unknown = await link({ ...context, resumed: true }, ['spa', 'tea']).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'card_link_not_changed', position: await links.head() });
    expect([await links.stateOf('spa'), await links.placesOf('spa')]).toEqual(['none', 0]);
  });

  it('a call that broke off takes nothing back: its repeat goes on', async () => {
    const context = links.context();
    await expect(link(context, ['spa', 'tea'], withoutPlacesOf('tea'))).rejects.toThrow(Unavailable);
    expect([await links.stateOf('spa'), await links.stateOf('tea')]).toEqual(['linked', 'none']);
    await link({ ...context, resumed: true }, ['spa', 'tea']);
    expect([await links.stateOf('spa'), await links.stateOf('tea')]).toEqual(['linked', 'linked']);
    expect(await links.placesOf('spa')).toBe(1);
  });
});
