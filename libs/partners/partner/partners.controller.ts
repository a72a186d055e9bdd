import { Controller, Get, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Freshness } from '#eventsourcing';
import {
  AllowFor,
  answerList,
  type Call,
  DeleteCall,
  Describe,
  listOf,
  PAGING,
  pagingOf,
  PostCall,
  PutCall,
  read,
  sinceOf,
  SUCCESS,
  TheCall,
} from '#http';
import { CHANGED_PARTNER, NEW_KEY, NEW_PARTNER, NEW_PASSWORD, PARTNER_LISTED } from './partner.answer.js';
import { ChangePartner, CreatePartner, IssueKey, ReplacePassword, RevokeKey } from './partner.commands.js';
import { presentPartner } from './partner.present.js';
import { ListPartners } from './partner.queries.js';
import { CHANGE, CREATE, ISSUE_KEY, readChange, readKey } from './partner.schema.js';

/** Partners and their credentials, for operators (ruling G2). Each secret shows once. */
@AllowFor('operator')
@Controller('operators/partners')
export class PartnersController {
  constructor(
    private readonly freshness: Freshness,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary: 'Creates a partner. Only this answer shows its secrets.',
    parameters: CREATE,
    answer: NEW_PARTNER,
    refuses: { secrets_lost: 'the partner exists; issue it a new key and a new password' },
    example: { name: 'Acme', slug: 'acme' },
  })
  @PostCall('')
  async create(@TheCall() call: Call): Promise<object> {
    const { name, slug: partnerSlug, storefront_url } = read(CREATE, call.parameters, 'partner');
    call.secrets = ['api_key', 'password'];
    const done = await this.commands.execute(
      new CreatePartner(name, partnerSlug, storefront_url ?? null, call.command),
    );
    call.position = done.position;
    call.act = { words: 'a partner was created', of: { partner: done.row.partner.id } };
    return { status: 'success', ...done.row };
  }

  @Describe({ summary: 'Lists partners.', parameters: z.object(PAGING), answer: listOf('partners', PARTNER_LISTED) })
  @Get('')
  async list(@TheCall() call: Call): Promise<object> {
    const query = new ListPartners(pagingOf(call.parameters, 'partner'), sinceOf(call, this.freshness));
    const found = await this.queries.execute(query);
    return answerList(found, (rows) => ({
      partners: rows.map(({ row, days }) => presentPartner(row, days)),
    }));
  }

  @Describe({
    summary:
      'Changes a partner. `storefront_url` is the address that their mails link to; null removes it. `suspended` pauses everything that the partner’s credentials and its users’ access tokens may do, and its mails; charges, refunds, holds and signed pages go on.',
    parameters: CHANGE,
    answer: CHANGED_PARTNER,
    example: { storefront_url: 'https://shop.example/offers/{deal_id}', suspended: false },
  })
  @PutCall(':id')
  async change(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    const change = readChange(call.parameters);
    const done = await this.commands.execute(new ChangePartner(id, change, call.command));
    call.position = done.position;
    const { suspended } = change;
    if (suspended !== undefined)
      call.act = { words: 'a partner was suspended or resumed', of: { partner: id, suspended } };
    return { status: 'success', partner: { id, ...done.row } };
  }

  @Describe({
    summary:
      'Issues another API key of a partner: a full one, or one that is restricted to resources, and to reading or writing. A restricted key is no user’s; it issues no access tokens, and batches need `all`.',
    parameters: ISSUE_KEY,
    answer: NEW_KEY,
    refuses: { secrets_lost: 'the key exists; revoke it and issue another' },
    example: { name: 'till', scope: 'coupon', access: 'read,write' },
  })
  @PostCall(':id/keys')
  async issueKey(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    const input = readKey(call.parameters);
    call.secrets = ['api_key'];
    const done = await this.commands.execute(new IssueKey(id, input, call.command));
    call.position = done.position;
    call.act = { words: 'a key of a partner was created', of: { partner: id, key: done.row.key_id } };
    return { status: 'success', ...done.row };
  }

  @Describe({ summary: 'Revokes an API key.', answer: SUCCESS })
  @DeleteCall(':id/keys/:key_id')
  async revokeKey(@TheCall() call: Call, @Param('id') id: string, @Param('key_id') keyId: string): Promise<object> {
    const done = await this.commands.execute(new RevokeKey(id, keyId, call.command));
    call.position = done.position;
    call.act = { words: 'a key of a partner was revoked', of: { partner: id, key: keyId } };
    return { status: 'success' };
  }

  @Describe({
    summary: 'Replaces the v3 password of a partner.',
    answer: NEW_PASSWORD,
    refuses: { secrets_lost: 'the password was replaced, and nobody has seen the new one; replace it again' },
  })
  @PostCall(':id/password')
  async replacePassword(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    call.secrets = ['password'];
    const done = await this.commands.execute(new ReplacePassword(id, call.command));
    call.position = done.position;
    call.act = { words: 'the password of a partner was replaced', of: { partner: id } };
    return { status: 'success', ...done.row };
  }
}
