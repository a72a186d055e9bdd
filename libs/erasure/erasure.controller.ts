import { Controller, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { AllowFor, type AnswerOf, type Call, Describe, PostCall, read, success, text, TheCall } from '#http';
import { isoTime } from '#kernel';
import { EraseBuyer, EraseUser } from './erasure.commands.js';

/** The history shows the reason. */
const WHY = z.object({
  reason: text('reason').describe('Why. It stays in the history: do not name the person in it.'),
});

const FACTS = {
  erased_at: z.string().describe('When it was done.'),
  reason: z.string().describe('Why: of the first call.'),
};
const ERASED_USER = success({ user_id: z.string(), ...FACTS });
const ERASED_BUYER = success({ purchase_id: z.string(), ...FACTS });

const EXAMPLE = { reason: 'they asked for it' };

/** Erases persons for operators (ruling G12). */
@AllowFor('operator')
@Controller('operators')
export class ErasureController {
  constructor(private readonly commands: CommandBus) {}

  @Describe({
    summary:
      'Erases a user: nothing opens their personal data any more, in no copy of the log; their cards, mails that wait and kept answers are destroyed. Purchases, counts and money stay. It cannot be undone. Again: the same answer.',
    parameters: WHY,
    answer: ERASED_USER,
    example: EXAMPLE,
  })
  @PostCall('users/:id/erase')
  async eraseUser(@TheCall() call: Call, @Param('id') id: string): Promise<AnswerOf<typeof ERASED_USER>> {
    const { reason } = read(WHY, call.parameters, 'user');
    const erased = await this.commands.execute(new EraseUser(id, reason, call.command));
    call.position = erased.position;
    call.act = { words: 'a user was erased', of: { user: id } };
    return { status: 'success', user_id: id, erased_at: isoTime(erased.at), reason: erased.reason };
  }

  @Describe({
    summary:
      'Erases the buyer of a reseller’s purchase: nothing opens their data any more. The purchase stays. It cannot be undone. Again: the same answer.',
    parameters: WHY,
    answer: ERASED_BUYER,
    refuses: { update_failed: 'the buyer is the user <user_id>: erase the user' },
    example: EXAMPLE,
  })
  @PostCall('purchases/:id/erase')
  async eraseBuyer(@TheCall() call: Call, @Param('id') id: string): Promise<AnswerOf<typeof ERASED_BUYER>> {
    const { reason } = read(WHY, call.parameters, 'purchase');
    const erased = await this.commands.execute(new EraseBuyer(id, reason, call.command));
    call.position = erased.position;
    call.act = { words: 'a buyer was erased', of: { purchase: id } };
    return { status: 'success', purchase_id: id, erased_at: isoTime(erased.at), reason: erased.reason };
  }
}
