import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#eventsourcing';
import { type Erased, Eraser } from './eraser.js';

/** Erases a user of any partner (ruling G12). A repeat goes on with an erasure that is not done, and finds one that is done. */
export class EraseUser extends Command<Erased> {
  constructor(
    readonly userId: string,
    readonly reason: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EraseUser)
export class EraseUserHandler implements ICommandHandler<EraseUser> {
  constructor(private readonly eraser: Eraser) {}

  execute({ userId, reason, context }: EraseUser): Promise<Erased> {
    return this.eraser.user(userId, reason, context);
  }
}

/** Erases the buyer of a reseller's purchase (ruling G12). A repeat is like that of a user. */
export class EraseBuyer extends Command<Erased> {
  constructor(
    readonly purchaseId: string,
    readonly reason: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EraseBuyer)
export class EraseBuyerHandler implements ICommandHandler<EraseBuyer> {
  constructor(private readonly eraser: Eraser) {}

  execute({ purchaseId, reason, context }: EraseBuyer): Promise<Erased> {
    return this.eraser.buyer(purchaseId, reason, context);
  }
}
