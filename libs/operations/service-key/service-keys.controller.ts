import { Controller, Get, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import {
  AllowFor,
  answerList,
  type AnswerOf,
  type Call,
  Describe,
  listOf,
  optional,
  PAGING,
  pagingOf,
  PostCall,
  read,
  Refused,
  text,
  TheCall,
} from '#http';
import { notFound } from '#kernel';
import { OperatedKeys } from './operated-keys.js';
import { presentServiceKey, ROTATING, SERVICE_KEY } from './service-key.answer.js';
import { RotateKey } from './service-key.commands.js';
import { ROTATED_KEYS } from './service-key.events.js';

const WHY = z.object({ reason: optional(text('reason')).describe('Why. It stays in the history.') });

const NEVER =
  'the hash key is never rotated: all ids, look-ups and barcodes are made with it, and so are the hashes of credentials. Change the credentials themselves';

/** The keys of the installation (ruling G14). */
@AllowFor('operator')
@Controller('operators/keys')
export class ServiceKeysController {
  constructor(
    private readonly keys: OperatedKeys,
    private readonly commands: CommandBus,
  ) {}

  @Describe({
    summary: 'Lists the keys of the installation, without their secrets, and how far a rotation is.',
    parameters: z.object(PAGING),
    answer: listOf('keys', SERVICE_KEY),
  })
  @Get('')
  async list(@TheCall() call: Call): Promise<object> {
    const { count, page, perPage } = pagingOf(call.parameters, 'key');
    const all = (await this.keys.status()).map(presentServiceKey);
    return answerList(count ? all.length : all.slice((page - 1) * perPage, page * perPage), (keys) => ({ keys }));
  }

  @Describe({
    summary:
      'Begins the rotation of a key, `master`, `data` or `urls`, and answers at once: it goes on in the background, and nothing stops. If several processes have the master key in their settings, call it again when each of them has the new one.',
    parameters: WHY,
    answer: ROTATING,
    refuses: {
      update_failed: 'a rotation of data is under way: wait until GET /operators/keys shows that it has ended',
    },
    example: { reason: 'once a year' },
  })
  @PostCall(':key/rotate')
  async rotate(@TheCall() call: Call, @Param('key') named: string): Promise<AnswerOf<typeof ROTATING>> {
    const { reason } = read(WHY, call.parameters, 'key');
    if (named === 'hash') throw new Refused(422, 'update_failed', NEVER);
    const key = ROTATED_KEYS.find((each) => each === named);
    if (key === undefined) throw notFound('no key has this name: GET /operators/keys lists them');
    const { position } = await this.commands.execute(new RotateKey(key, reason ?? null, call.command));
    call.position = position;
    call.act = { words: 'the rotation of a key was begun', of: { key } };
    return { status: 'success', key };
  }
}
