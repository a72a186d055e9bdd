import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY } from '#kernel';
import { catalogue, deal } from '#catalogue/model';
import { endOfBatchMailsLink } from '#engagement';
import { engagement, mailPreference } from '#engagement/model';
import { PublicUrl } from '#http';
import { partners } from '#partners/model';
import { newProfile } from '#people';
import { user } from '#people/model';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { partner } from '../../partners/partner/partner.decider.js';
import type { Mail } from '../mail/index.js';
import { mailing } from '../model.js';
import { BatchRecipients } from './batch-recipients.js';
import type { SkipReason } from './batch.events.js';
import type { BatchRow } from './batch.row.js';

const PUBLIC = 'https://deals.test';

describe('H3, F4: what a recipient of a batch gets', () => {
  let opened: PeopleEngine;
  let row: BatchRow;

  beforeEach(async () => {
    opened = await openPeopleEngine([catalogue, engagement, partners, mailing]);
    const { loop, clock } = opened.engine;
    const now = clock.now();
    row = {
      batch_id: 'b1',
      partner_id: 'acme',
      deal_id: 'spa',
      mode: 'augment',
      send_at: now,
      user_ids: ['ann'],
      created_at: now,
      status: 'pending',
    };
    const attributes = { title: 'A day at the spa', region_id: 'boston', current_price: 2_500, value: 5_000 };
    const changes = { ...attributes, start_at: now - DAY, end_at: now + DAY, image: '/images/spa.jpg' };
    await loop.execute(deal, 'spa', { type: 'put', deal_id: 'spa', changes, arrives: 'in-flight' }, opened.context());
    await register(await opened.engine.personalData.seal('ann', newProfile({ email: 'ann@example.org' }, 0)));
  });
  afterEach(() => opened.close());

  const register = (profile: string): Promise<unknown> => {
    const made = {
      user_id: 'ann',
      partner_id: 'acme',
      profile,
      password: null,
      address: 'home',
      taking: 1,
      created_at: 0,
    };
    return opened.engine.loop.execute(user, 'ann', { type: 'register', user: made }, opened.context());
  };
  const find = (userId = 'ann'): Promise<Mail | SkipReason> =>
    new BatchRecipients(
      opened.engine.writer,
      opened.engine.keyring,
      opened.engine.clock,
      opened.engine.personalData,
      new PublicUrl(PUBLIC),
    ).find(row, userId);
  const move = (to: 'paused' | 'cancelled'): Promise<unknown> =>
    opened.engine.loop.execute(deal, 'spa', { type: 'move', to, reason: null }, opened.context());

  it('is a mail with the deal, under a Message-ID that each try has, with the link that ends such mails', async () => {
    const unsubscribe = endOfBatchMailsLink(opened.engine.keyring, PUBLIC, 'ann');
    const mail = await find();
    expect(mail).toMatchObject({ messageId: '<b1.ann@deals.test>', to: 'ann@example.org', unsubscribe });
    expect(await find()).toEqual(mail);
    const { subject, html, text } = mail as Mail;
    expect(subject).toContain('A day at the spa');
    for (const body of [html, text]) {
      expect(body).toContain('$25');
      expect(body).toContain(`${PUBLIC}/deals/spa`);
      expect(body).toContain(unsubscribe);
    }
    expect(html).toContain(`${PUBLIC}/images/spa.jpg`);
  });

  it('is nothing after they have unsubscribed', async () => {
    const command = { type: 'decline-batch-mails', user: { user_id: 'ann', partner_id: 'acme' } } as const;
    await opened.engine.loop.execute(mailPreference, 'ann', command, opened.context());
    expect(await find()).toBe('unsubscribed');
  });

  it('is nothing while they are hidden', async () => {
    const profile = await opened.engine.personalData.seal('ann', newProfile({ email: 'ann@example.org' }, 0));
    const change = { type: 'change', profile, password: null, deleted: true, based_on: 1 } as const;
    await opened.engine.loop.execute(user, 'ann', change, opened.context());
    expect(await find()).toBe('hidden');
    expect(await find('nobody')).toBe('hidden');
  });

  it('I10: is nothing while their partner is suspended, whatever else is true', async () => {
    const suspend = (suspended: boolean): Promise<unknown> =>
      opened.engine.loop.execute(partner, 'acme', { type: 'change', partner_id: 'acme', suspended }, opened.context());
    const enrol = { type: 'enrol', partner_id: 'acme', name: 'Acme', slug: 'acme' } as const;
    await opened.engine.loop.execute(partner, 'acme', enrol, opened.context());
    await suspend(true);
    expect(await find()).toBe('suspended');
    await suspend(false);
    expect(await find()).toMatchObject({ to: 'ann@example.org' });
  });

  it('is nothing when nobody can read their address any more', async () => {
    const { engine } = opened;
    const gone = { ...row, user_ids: ['eve'] };
    const made = { user_id: 'eve', partner_id: 'acme', profile: 'AAAA', password: null, address: 'home', taking: 1 };
    await engine.loop.execute(user, 'eve', { type: 'register', user: { ...made, created_at: 0 } }, opened.context());
    expect(
      await new BatchRecipients(
        engine.writer,
        engine.keyring,
        engine.clock,
        engine.personalData,
        new PublicUrl(PUBLIC),
      ).find(gone, 'eve'),
    ).toBe('erased');
  });

  it.each(['paused', 'cancelled'] as const)('is nothing while the deal is %s', async (to) => {
    await move(to);
    expect(await find()).toBe('deal-not-on-sale');
  });

  it('is nothing after the deal has ended', async () => {
    opened.engine.clock.follow(DAY);
    expect(await find()).toBe('deal-not-on-sale');
  });
});
