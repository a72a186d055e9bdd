import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Unavailable, type CommandContext, type CommandLoop, type Writer } from '#eventsourcing';
import { openLinks, type Links } from '../../../test/support/links.js';
import { linkage } from './linkage.decider.js';
import { LinkUser, LinkUserHandler } from './link-user.commands.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('E3, A11: a user is linked to several deals', () => {
  let links: Links;
  beforeEach(async () => {
    links = await openLinks(['spa', 'tea']);
  });
  afterEach(() => links.close());

  const link = (context: CommandContext, deals: readonly string[], by = links.engine.writer): Promise<unknown> =>
    new LinkUserHandler(by, links.engine.keyring, links.engine.clock).execute(
      new LinkUser('acme', links.ann, deals, context),
    );
  /** The handler's writer; whatever it asks of a deal's places is answered with a 503. */
  function withoutPlacesOf(dealId: string): Writer {
    const loop = links.otherLoop();
    const execute = loop.execute.bind(loop) as (...args: readonly unknown[]) => Promise<unknown>;
    loop.execute = ((...args: readonly unknown[]) =>
      args[0] === linkage && args[1] === dealId
        ? Promise.reject(new Unavailable('the log does not answer', 1))
        : execute(...args)) as CommandLoop['execute'];
    return engineOf({ ...links.engine, loop }).writer;
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
