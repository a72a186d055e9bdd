import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer } from '#eventsourcing';
import { OperatedKeys } from './operated-keys.js';
import { SERVICE_KEYS, serviceKeys } from './service-key.decider.js';
import type { RotatedKey } from './service-key.events.js';

/**
 * Begins the rotation of a key of the installation (ruling G14). It goes on in the background. A repeat finds the rotation that its
 * first try has begun. For a master key that several processes have, the second command ends what the first has begun.
 */
export class RotateKey extends Command<Done<null>> {
  constructor(
    readonly key: RotatedKey,
    readonly reason: string | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RotateKey)
export class RotateKeyHandler implements ICommandHandler<RotateKey> {
  constructor(
    private readonly writer: Writer,
    private readonly keys: OperatedKeys,
  ) {}

  async execute({ key, reason, context }: RotateKey): Promise<Done<null>> {
    const { writer, keys } = this;
    const before = await writer.repeat(context, serviceKeys, SERVICE_KEYS);
    if (before !== undefined) return { row: null, position: before.position };
    if (key === 'master') {
      const ended = await keys.endMaster(context);
      if (ended !== undefined) return { row: null, position: ended };
    }
    const from = await keys.mayRotate(key);
    const { position } = await writer.execute(serviceKeys, SERVICE_KEYS, { type: 'begin', key, from, reason }, context);
    keys.wake();
    return { row: null, position };
  }
}
