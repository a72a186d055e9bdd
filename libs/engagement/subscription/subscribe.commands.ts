import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RegionFinder, Regions } from '#catalogue';
import { type CommandContext, type Done, Writer, Keyring, PersonalData } from '#eventsourcing';
import { DomainError, notFound, type Position } from '#kernel';
import { isUserOf } from '#people';
import { user } from '#people/model';
import { subscription, type SubscriptionCommand } from './subscription.decider.js';
import type { SubscriptionDetails, SubscriptionEvent } from './subscription.events.js';
import type { SubscriptionRow } from './subscription.row.js';

/**
 * Subscribes a user to the region of a ZIP (interface 4.12, ruling E5). An existing subscription is active again; if it was
 * active and not confirmed, it asks for its confirmation again.
 */
export class Subscribe extends Command<Done<SubscriptionRow>> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly details: SubscriptionDetails,
    /** The regions are at least as new as this position. */
    readonly since: Position,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** What the command writes. */
const WRITES = [
  'subscription-created.v1',
  'subscription-status-set.v1',
  'subscription-confirmation-asked.v1',
] as const satisfies readonly SubscriptionEvent['type'][];

@CommandHandler(Subscribe)
export class SubscribeHandler implements ICommandHandler<Subscribe> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    private readonly personalData: PersonalData,
    private readonly regions: Regions,
    private readonly finder: RegionFinder,
  ) {}

  async execute(command: Subscribe): Promise<Done<SubscriptionRow>> {
    const { partnerId, userId, details, since, context } = command;
    const { writer, keyring } = this;
    await this.regions.until(since);
    const region = await this.finder.ofZip(details.zip);
    const id = region && keyring.hash('subscription', JSON.stringify([userId, region.id]));
    if (id !== undefined) {
      // Asked first: since the first try the user may have been hidden, and the subscription ended.
      const before = await this.#before(id, context);
      if (before !== undefined) return before;
    }
    if (!(await isUserOf(writer, partnerId, userId))) throw notFound('you have no user with this id');
    if (region === undefined || id === undefined) throw noRegion(details.zip);
    const wanted = await this.#wanted(command, id, region.id);
    const { state, position } = await writer.execute(subscription, id, wanted, context);
    return { row: known(state), position };
  }

  async #before(id: string, context: CommandContext): Promise<Done<SubscriptionRow> | undefined> {
    const before = await this.writer.repeat(context, subscription, id, { types: WRITES });
    if (before === undefined) return undefined;
    return { row: known(await this.writer.readNow(subscription, id)), position: before.position };
  }

  async #wanted({ partnerId, userId, details }: Subscribe, id: string, regionId: string): Promise<SubscriptionCommand> {
    const sealed = await this.personalData.seal(userId, details);
    const ids = { subscription_id: id, user_id: userId, partner_id: partnerId, region_id: regionId };
    const now = await this.writer.read(user, userId);
    if (now === null) throw new Error('the user was found');
    return { type: 'subscribe', subscription: { ...ids, details: sealed }, now };
  }
}

function known(state: SubscriptionRow | null): SubscriptionRow {
  if (state === null) throw new Error('a subscription that was made has a row');
  return state;
}

function noRegion(zip: string): DomainError {
  return new DomainError('zip_without_region', 'belongs to no region', { zip });
}
