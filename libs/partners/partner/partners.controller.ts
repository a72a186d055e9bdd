import { Controller, Get, Inject, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Engine, type Done, type Listed } from '#eventsourcing';
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
  slug,
  SUCCESS,
  text,
  TheCall,
} from '#http';
import { NEW_KEY, NEW_PARTNER, NEW_PASSWORD, PARTNER_LISTED, STOREFRONT } from './partner.answer.js';
import {
  CreatePartner,
  IssueKey,
  ReplacePassword,
  RevokeKey,
  SetStorefront,
  type NewPartner,
} from './partner.commands.js';
import { ListPartners } from './partner.queries.js';
import { isStorefront } from './storefront.js';
import type { PartnerRow } from './partner.view.js';

const storefront = text('link')
  .refine(isStorefront, { error: 'must be an https address with {deal_id} in its path or query' })
  .describe('An https address with `{deal_id}` in its path or query: the mails of this partner link there.');

const CREATE = z.object({ name: text('line'), slug: slug(), storefront_url: storefront.nullable().optional() });
const CHANGE = z.object({ storefront_url: storefront.nullable() });

/** Partners and their credentials, for operators (ruling G2). Each secret shows once. */
@AllowFor('operator')
@Controller('operators/partners')
export class PartnersController {
  constructor(
    @Inject(Engine) private readonly engine: Pick<Engine, 'freshness'>,
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
    const done = await this.commands.execute<CreatePartner, Done<NewPartner>>(
      new CreatePartner(name, partnerSlug, storefront_url ?? null, call.command),
    );
    call.position = done.position;
    call.act = { words: 'a partner was created', of: { partner: done.row.partner.id } };
    return { status: 'success', ...done.row };
  }

  @Describe({ summary: 'Lists partners.', parameters: z.object(PAGING), answer: listOf('partners', PARTNER_LISTED) })
  @Get('')
  async list(@TheCall() call: Call): Promise<object> {
    const query = new ListPartners(pagingOf(call.parameters, 'partner'), sinceOf(call, this.engine.freshness));
    const found = await this.queries.execute<ListPartners, Listed<PartnerRow>>(query);
    return answerList(found, (rows) => ({
      partners: rows.map(({ id, name, slug: itsSlug, storefront_url, keys }) => ({
        id,
        name,
        slug: itsSlug,
        storefront_url,
        keys,
      })),
    }));
  }

  @Describe({
    summary: 'Sets the storefront of a partner: the address that their mails link to. null removes it.',
    parameters: CHANGE,
    answer: STOREFRONT,
    example: { storefront_url: 'https://shop.example/offers/{deal_id}' },
  })
  @PutCall(':id')
  async change(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    const { storefront_url } = read(CHANGE, call.parameters, 'partner');
    const done = await this.commands.execute<SetStorefront, Done<object>>(
      new SetStorefront(id, storefront_url, call.command),
    );
    call.position = done.position;
    return { status: 'success', partner: { id, ...done.row } };
  }

  @Describe({
    summary: 'Issues another API key of a partner.',
    answer: NEW_KEY,
    refuses: { secrets_lost: 'the key exists; revoke it and issue another' },
  })
  @PostCall(':id/keys')
  async issueKey(@TheCall() call: Call, @Param('id') id: string): Promise<object> {
    call.secrets = ['api_key'];
    const done = await this.commands.execute<IssueKey, Done<{ readonly key_id: string }>>(
      new IssueKey(id, call.command),
    );
    call.position = done.position;
    call.act = { words: 'a key of a partner was created', of: { partner: id, key: done.row.key_id } };
    return { status: 'success', ...done.row };
  }

  @Describe({ summary: 'Revokes an API key.', answer: SUCCESS })
  @DeleteCall(':id/keys/:key_id')
  async revokeKey(@TheCall() call: Call, @Param('id') id: string, @Param('key_id') keyId: string): Promise<object> {
    const done = await this.commands.execute<RevokeKey, Done<null>>(new RevokeKey(id, keyId, call.command));
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
    const done = await this.commands.execute<ReplacePassword, Done<object>>(new ReplacePassword(id, call.command));
    call.position = done.position;
    call.act = { words: 'the password of a partner was replaced', of: { partner: id } };
    return { status: 'success', ...done.row };
  }
}
