import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import type { Regions } from '#catalogue';
import { engagement } from '#engagement/model';
import { user } from '#people/model';
import { subscription } from '../subscription/subscription.decider.js';
import type { SubscriptionStatus } from '../subscription/subscription.events.js';
import { FollowMailLinkHandler, type FollowMailLink } from './follow-mail-link.commands.js';
import { signedPart } from './mail-link.js';
import { FindLinkedMailsHandler, type FindLinkedMails } from './mail-link.queries.js';
import { MailLinksController } from './mail-links.controller.js';

const ANN = 'a0'.repeat(16);
const SUBSCRIPTION = 'b0'.repeat(16);
const [HOME, AWAY] = ['c0'.repeat(16), 'd0'.repeat(16)];
const REGIONS = { find: async () => ({ name: 'Boston' }) } as unknown as Regions;

describe('E5, I14: the page of a link whose subscription changes between its query and its command', () => {
  let opened: PeopleEngine;
  /** What happens after the query was answered. */
  let meanwhile: () => Promise<unknown>;

  beforeEach(async () => {
    opened = await openPeopleEngine([engagement]);
    const { loop } = opened.engine;
    const registered = { user_id: ANN, partner_id: 'acme', profile: 'sealed', password: null, created_at: 7 };
    const ann = { ...registered, address: HOME, taking: 1 };
    await loop.execute(user, ANN, { type: 'register', user: ann }, opened.context());
    const names = { subscription_id: SUBSCRIPTION, user_id: ANN, partner_id: 'acme', region_id: 'boston' };
    const now = { address: HOME };
    const subscribe = { type: 'subscribe', subscription: { ...names, details: 'sealed' }, now } as const;
    await loop.execute(subscription, SUBSCRIPTION, subscribe, opened.context());
  });
  afterEach(() => opened.close());

  const move = (to: string): Promise<unknown> => {
    const moved = { user_id: ANN, address: to, email: 'sealed', taking: 2 };
    return opened.engine.loop.execute(user, ANN, { type: 'move-email', ...moved }, opened.context());
  };
  const set = (status: SubscriptionStatus): Promise<unknown> =>
    opened.engine.loop.execute(subscription, SUBSCRIPTION, { type: 'set-status', status }, opened.context());

  /** Presses the button on the page of the link that was mailed to Ann's first address. */
  const open = async (accept: string): Promise<{ status: number; title: string | undefined; wrote: boolean }> => {
    const { engine } = opened;
    const query = new FindLinkedMailsHandler(engine.writer, REGIONS);
    const command = new FollowMailLinkHandler(engine.writer);
    const queries = {
      execute: async (asked: FindLinkedMails) => {
        const found = await query.execute(asked);
        await meanwhile();
        return found;
      },
    } as unknown as QueryBus;
    const commands = { execute: (given: FollowMailLink) => command.execute(given) } as unknown as CommandBus;
    const call: Pick<FastifyRequest['call'], 'command' | 'position'> = {
      command: opened.context(),
      position: undefined,
    };
    const request = { call, headers: { accept } } as unknown as FastifyRequest;
    let [status, text] = [0, ''];
    const reply = {
      status: (of: number) => ((status = of), reply),
      headers: () => reply,
      send: (sent: string) => void (text = sent),
    };
    const signed = signedPart(engine.keyring, { kind: 'confirmation', id: SUBSCRIPTION, address: HOME });
    const controller = new MailLinksController(engine.keyring, commands, queries);
    await controller.confirm(signed, request, reply as unknown as FastifyReply);
    return { status, title: /<h1>(.*)<\/h1>/.exec(text)?.[1], wrote: call.position !== undefined };
  };
  const isConfirmed = async (): Promise<boolean | undefined> =>
    (await opened.engine.loop.readNow(subscription, SUBSCRIPTION))?.confirmed;

  it('says that it is confirmed if nothing changes', async () => {
    meanwhile = async () => undefined;
    expect(await open('text/html')).toEqual({ status: 200, title: 'Your subscription is confirmed', wrote: true });
    expect(await isConfirmed()).toBe(true);
  });

  it('says that the link is for another address if the user has changed theirs', async () => {
    meanwhile = () => move(AWAY);
    const title = 'This link is for another e-mail address';
    expect(await open('text/html')).toEqual({ status: 404, title, wrote: false });
    expect(await isConfirmed()).toBe(false);
  });

  it('refuses in the same way a program that asks for JSON', async () => {
    meanwhile = () => move(AWAY);
    const detail = 'this link is for another e-mail address: subscribe again';
    await expect(open('application/json')).rejects.toMatchObject({ code: 'not_found', details: { detail } });
  });

  it('says that it is confirmed if the user has their first address again', async () => {
    await move(AWAY);
    meanwhile = () => move(HOME);
    expect(await open('text/html')).toEqual({ status: 200, title: 'Your subscription is confirmed', wrote: true });
    expect(await isConfirmed()).toBe(true);
  });

  it('says that the subscription has ended if the user has ended it', async () => {
    meanwhile = () => set('inactive');
    expect(await open('text/html')).toEqual({ status: 200, title: 'This subscription has ended', wrote: true });
  });
});
