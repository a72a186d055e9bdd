import type { DealsOfRegion, Regions } from '#catalogue';
import {
  and,
  eq,
  Slices,
  type CommandContext,
  type Work,
  type Writer,
  type Reader,
  type Clock,
  type Time,
} from '#eventsourcing';
import { subscriptionsView } from '#engagement/model';
import { RefusedStreams, type OnRefused } from '../refused-streams.js';
import type { SubscriptionMailDelivery } from '../subscription-mail/subscription-mail-delivery.js';
import { DAILY_UPDATE, dailyUpdate } from './daily-update.decider.js';
import { dailyUpdates } from './daily-updates.work.js';

/** Mails under way at a time. */
const TOGETHER = 10;

/** Sends the daily update to every active, confirmed subscription, at its time of day (ruling F5). */
export class DailyUpdate {
  /** The subscriptions of a day that need a refused stream: the other ones have their mail, so its next run is for these. */
  #left: { readonly day: number; readonly ids: readonly string[] } | undefined;

  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly clock: Clock,
    private readonly time: Time,
    private readonly regions: Pick<Regions, 'all' | 'until'>,
    private readonly deals: DealsOfRegion,
    private readonly delivery: SubscriptionMailDelivery,
    /** `DAILY_UPDATE_AT` in milliseconds after midnight in UTC; null for no updates. */
    private readonly at: number | null,
    private readonly onRefused: OnRefused,
  ) {}

  get work(): Work {
    return { list: dailyUpdates, run: () => this.#run() };
  }

  /** Plans the next update, or none. A start does it: the setting may have changed. */
  async plan(): Promise<void> {
    await this.writer.execute(dailyUpdate, DAILY_UPDATE, { type: 'plan', at: this.at }, this.#context());
  }

  /** What was begun before a crash is not begun again: each mail knows its day. */
  async #run(): Promise<void> {
    const { writer, clock } = this;
    const { at } = this;
    const context = this.#context();
    // Days that the service has missed are dropped first.
    const { state } = await writer.execute(dailyUpdate, DAILY_UPDATE, { type: 'plan', at }, context);
    if (at === null || state.planned === null || state.planned.due_at > clock.now()) return;
    const { day } = state.planned;
    await this.#upToDate();
    const refused = new RefusedStreams(this.onRefused);
    const left: string[] = [];
    const send = async (ids: readonly string[]): Promise<void> => {
      left.push(...(await this.#send(ids, day, refused, context)));
    };
    if (this.#left?.day === day) await send(this.#left.ids);
    else {
      for (const { id, active } of await this.regions.all()) {
        if (active && (await this.deals.find(id)).length > 0) await send(await this.#subscribedTo(id));
      }
    }
    if (this.delivery.isStopping) return;
    this.#left = { day, ids: left };
    refused.end();
    await writer.execute(dailyUpdate, DAILY_UPDATE, { type: 'end', day, at }, context);
  }

  /** Waits until the views have everything that was written before: whoever confirmed in time gets the update. */
  async #upToDate(): Promise<void> {
    const { reader, regions } = this;
    const end = await reader.end();
    await Promise.all([reader.until([subscriptionsView], end), regions.until(end)]);
  }

  async #subscribedTo(regionId: string): Promise<readonly string[]> {
    const isOfRegion = and<'region_id' | 'is_open'>(eq('region_id', regionId), eq('is_open', true));
    const open = await this.reader.all(subscriptionsView, isOfRegion, [], new Slices(this.time));
    return open.map(({ subscription_id }) => subscription_id);
  }

  /** @returns the subscriptions that need a refused stream */
  async #send(
    ids: readonly string[],
    turn: number,
    refused: RefusedStreams,
    context: CommandContext,
  ): Promise<readonly string[]> {
    const left: string[] = [];
    let taken = 0;
    const sender = async (): Promise<void> => {
      for (let id = ids[taken++]; id !== undefined && !this.delivery.isStopping; id = ids[taken++]) {
        const delivered = this.delivery.deliver({ subscription_id: id, kind: 'daily-update', turn }, context);
        if (!(await refused.pass(delivered))) left.push(id);
      }
    };
    const senders = await Promise.allSettled(Array.from({ length: TOGETHER }, sender));
    const broken = senders.find((each) => each.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    return left;
  }

  #context(): CommandContext {
    return this.writer.newContext(`system:${dailyUpdates.name}`);
  }
}
