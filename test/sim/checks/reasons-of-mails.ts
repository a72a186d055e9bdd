import { idOf, type Recorded } from '#kernel';
import { Past } from './past.js';
import { placeOf, Violation } from './violation.js';

const DAY = 86_400_000;
/**
 * The longest from what a sender reads until the event that rests on it is on disk, in milliseconds of the world: a process may
 * stand still between the two.
 */
const LOOKED_BACK = 300_000;

interface Data {
  readonly subscription_id: string;
  readonly user_id: string;
  readonly partner_id: string;
  readonly region_id: string;
  readonly status: string;
  readonly address: string | null;
  readonly deleted: boolean;
  readonly batch_id: string;
  readonly mode: string;
  readonly user_ids: readonly string[];
  readonly kind: string;
  readonly turn: number;
  readonly reason: string;
  readonly day: number;
  readonly attempt: number;
  readonly until: number;
  readonly send_at: number;
}

interface Subscription {
  readonly active: boolean;
  /** For the address that its user had at that time. */
  readonly confirmed: boolean;
  /** The address for which it was confirmed. */
  readonly address: string | null;
}

interface Owner {
  readonly user: string;
  readonly partner: string;
  readonly region: string;
}

/**
 * Who gets a mail and who gets none (rulings E5, F4, F5, H3). A daily update goes to every active and confirmed subscription, and
 * to no other; not to users of a batch that suppresses it. A mail that was left out has a reason that was true. A mail waits
 * only because a server asked for that, or because it asks for a confirmation again. Nothing of a batch happens before its time.
 * @param written when each event was written, in milliseconds of the world, by its index in the log
 */
export function checkReasonsOfMails(events: readonly Recorded[], written: readonly number[]): void {
  new Reasons(events, written).check();
}

class Reasons {
  readonly #subscriptions = new Past<Subscription>();
  readonly #owners = new Map<string, Owner>();
  readonly #addresses = new Map<string, string | null>();
  readonly #hidden = new Past<boolean>();
  /** Whether a user is in a batch that suppresses the update, by partner, day and user. */
  readonly #suppressed = new Past<boolean>();
  readonly #declined = new Past<boolean>();
  /** Users of a batch, with its schedule. */
  readonly #batches = new Map<string, { readonly users: readonly string[]; readonly schedule: string }>();
  readonly #sendAt = new Map<string, number>();
  /** The subscriptions that have something about the update of a day, and its regions, by day. */
  readonly #updates = new Map<number, Set<string>>();
  readonly #attempts = new Map<string, number>();
  readonly #confirmations = new Set<string>();

  constructor(
    private readonly events: readonly Recorded[],
    private readonly written: readonly number[],
  ) {}

  check(): void {
    this.events.forEach((event, index) => this.#learn(event, this.written[index] ?? 0));
    this.events.forEach((event, index) => this.#judge(event, this.written[index] ?? 0));
  }

  #learn({ stream, type, data: all }: Recorded, at: number): void {
    const data = all as Data;
    const { subscription_id: id, user_id, batch_id } = data;
    const before = this.#subscriptions.last(id);
    switch (type) {
      case 'subscription-created.v1':
        this.#owners.set(id, { user: user_id, partner: data.partner_id, region: data.region_id });
        this.#subscriptions.set(id, at, { active: true, confirmed: false, address: null });
        return;
      case 'subscription-status-set.v1':
        if (before !== undefined) this.#subscriptions.set(id, at, { ...before, active: data.status === 'active' });
        return;
      case 'subscription-confirmation-asked.v1':
        if (before !== undefined) this.#subscriptions.set(id, at, { ...before, confirmed: false, address: null });
        return;
      case 'subscription-confirmed.v1': {
        const confirmed = (this.#addresses.get(user_id) ?? null) === data.address;
        const active = before?.active === true;
        this.#subscriptions.set(id, at, { active, confirmed, address: data.address });
        return;
      }
      case 'user-registered.v1':
      case 'user-email-changed.v1':
        this.#addresses.set(user_id, data.address);
        for (const [each, { user }] of this.#owners) {
          const was = this.#subscriptions.last(each);
          const confirmed = was?.address === data.address;
          if (user === user_id && was !== undefined) this.#subscriptions.set(each, at, { ...was, confirmed });
        }
        return;
      case 'user-changed.v1':
        this.#hidden.set(user_id, at, data.deleted);
        return;
      case 'batch-mails-declined.v1':
        this.#declined.set(user_id, at, true);
        return;
      case 'users-scheduled.v1': {
        const { user_ids, mode } = data;
        const schedule = idOf(stream);
        this.#batches.set(batch_id, { users: user_ids, schedule });
        this.#sendAt.set(batch_id, data.send_at);
        for (const user of user_ids) this.#suppressed.set(`${schedule} ${user}`, at, mode === 'suppress');
        return;
      }
      case 'users-freed.v1': {
        const { users = [], schedule = '' } = this.#batches.get(batch_id) ?? {};
        for (const user of users) this.#suppressed.set(`${schedule} ${user}`, at, false);
        return;
      }
    }
  }

  #judge(event: Recorded, at: number): void {
    const { type, data: all } = event;
    const data = all as Data;
    if (type.startsWith('delivery-')) this.#delivery(event, data, at);
    if (type.startsWith('subscription-mail-')) this.#subscriptionMail(event, data, at);
    if (type === 'daily-update-ended.v1') this.#ended(event, data.day, at);
  }

  #delivery(event: Recorded, { batch_id, user_id, reason }: Data, at: number): void {
    const sendAt = this.#sendAt.get(batch_id) ?? Infinity;
    if (event.metadata.time < sendAt)
      throw new Violation(
        'a batch has its time',
        placeOf(event),
        `at ${event.metadata.time}, and not before ${sendAt}`,
      );
    if (event.type !== 'delivery-skipped.v1') return;
    if (reason === 'hidden')
      this.#mustHaveBeen(event, 'the user was hidden', this.#hidden.within(user_id, ...back(at)));
    if (reason === 'unsubscribed')
      this.#mustHaveBeen(event, 'the user ended such mails', this.#declined.within(user_id, ...back(at)));
  }

  #subscriptionMail(event: Recorded, { subscription_id: id, kind, turn, reason }: Data, at: number): void {
    const owner = this.#owners.get(id);
    if (owner === undefined) throw new Violation('a mail has its subscription', placeOf(event), id);
    const was = this.#subscriptions.within(id, ...back(at));
    const day = new Date(turn * DAY).toISOString().slice(0, 10);
    const suppressed = this.#suppressed.within(`${owner.partner}-${day} ${owner.user}`, ...back(at));
    const isUpdate = kind === 'daily-update';
    const wants = was.map((each) => each?.active === true && (isUpdate ? each.confirmed : !each.confirmed));
    if (isUpdate) this.#updates.set(turn, (this.#updates.get(turn) ?? new Set()).add(id));
    if (event.type.startsWith('subscription-mail-delayed.')) this.#delayed(event);
    if (event.type === 'subscription-mail-attempted.v1') {
      this.#attempts.set(`${kind} ${turn} ${id}`, (event.data as Data).attempt);
      if (!isUpdate) this.#confirmations.add(id);
      this.#mustHaveBeen(event, 'the subscription asked for it', wants);
      if (isUpdate)
        this.#mustHaveBeen(
          event,
          'no batch suppressed it',
          suppressed.map((each) => each !== true),
        );
    }
    if (event.type !== 'subscription-mail-skipped.v1') return;
    if (reason === 'suppressed') this.#mustHaveBeen(event, 'a batch suppressed it', suppressed);
    if (reason === 'confirmed')
      this.#mustHaveBeen(
        event,
        'it was confirmed',
        was.map((each) => each?.confirmed),
      );
    if (reason === 'ended')
      this.#mustHaveBeen(
        event,
        'it had ended, or was not confirmed',
        isUpdate ? wants.map((each) => !each) : was.map((each) => each?.active !== true),
      );
    if (reason === 'hidden')
      this.#mustHaveBeen(event, 'the user was hidden', this.#hidden.within(owner.user, ...back(at)));
  }

  /** A server must have had the mail; a confirmation may also wait because of an earlier one. */
  #delayed(event: Recorded): void {
    const { subscription_id: id, kind, turn, attempt } = event.data as Data;
    const isOfServer = this.#attempts.get(`${kind} ${turn} ${id}`) === attempt;
    if (!isOfServer && !(kind === 'confirmation' && this.#confirmations.has(id)))
      throw new Violation('a mail waits for a reason', placeOf(event), `attempt ${attempt} of ${kind} was not made`);
  }

  /** Whoever wanted the update all the time has it, if somebody of their region has it. */
  #ended(event: Recorded, day: number, at: number): void {
    const has = this.#updates.get(day) ?? new Set();
    const regions = new Set([...has].map((id) => this.#owners.get(id)?.region));
    for (const [id, { region }] of this.#owners) {
      if (has.has(id) || !regions.has(region)) continue;
      const was = this.#subscriptions.within(id, ...back(at));
      if (was.every((each) => each?.active === true && each.confirmed))
        throw new Violation(
          'everybody who wants it has the daily update',
          placeOf(event),
          `subscription ${id} has not`,
        );
    }
  }

  #mustHaveBeen(event: Recorded, what: string, was: readonly (boolean | undefined)[]): void {
    if (!was.includes(true))
      throw new Violation('a mail is sent or left out for a true reason', placeOf(event), `it was never so: ${what}`);
  }
}

function back(at: number): readonly [from: number, to: number] {
  return [at - LOOKED_BACK, at];
}
