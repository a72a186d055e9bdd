import { Controller, Get, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Engine, type Done } from '#eventsourcing';
import {
  AllowFor,
  date,
  emailAddress,
  integer,
  optional,
  partnerOf,
  PostCall,
  read,
  sinceOf,
  text,
  TheCall,
  type Call,
} from '#http';
import { CreateUser } from './create-user.commands.js';
import { presentUser } from './user.present.js';
import { FindUser } from './user.queries.js';
import type { Profile, UserRow } from './user.row.js';

const CREATE = z.object({
  email: emailAddress(),
  first_name: optional(text()),
  last_name: optional(text()),
  birthday: optional(date()),
  postal_code: optional(text()),
  source: optional(text()),
  token: optional(text()),
  credits: optional(integer(0)),
  partner_data: z.record(z.string(), z.unknown(), { error: 'must be an object' }).optional(),
  session_id: optional(text()),
});

/** Users of a partner (interface 4.9). */
@AllowFor('partner')
@Controller('users')
export class UsersController {
  constructor(
    private readonly engine: Engine,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @PostCall('')
  async create(@TheCall() call: Call): Promise<object> {
    const given = read(CREATE, call.parameters, 'user');
    const profile: Profile = {
      email: given.email,
      first_name: given.first_name ?? null,
      last_name: given.last_name ?? null,
      birthday: given.birthday ?? null,
      postal_code: given.postal_code ?? null,
      source: given.source ?? null,
      token: given.token ?? null,
      credits: given.credits ?? this.engine.site.signupCredit,
      partner_data: given.partner_data ?? {},
      session_id: given.session_id ?? null,
    };
    const command = new CreateUser(partnerOf(call).id, profile, call.command);
    const { row, position } = await this.commands.execute<CreateUser, Done<string>>(command);
    call.position = position;
    return { status: 'success', user_id: row };
  }

  @Get(':user_id')
  async get(@TheCall() call: Call, @Param('user_id') userId: string): Promise<object> {
    const { freshness, personalData } = this.engine;
    const query = new FindUser(partnerOf(call).id, userId, sinceOf(call, freshness));
    const row = await this.queries.execute<FindUser, UserRow>(query);
    const profile = await personalData.open<Profile>(row.user_id, row.profile);
    return { status: 'success', user: presentUser(row, profile) };
  }
}
