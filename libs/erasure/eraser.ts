import {
  atOnce,
  type CommandContext,
  eq,
  type IdempotencyRecords,
  type KeyStore,
  later,
  type Reader,
  type Time,
  withCallDeadline,
  type Writer,
} from '#eventsourcing';
import { subscriptionsView } from '#engagement/model';
import { DomainError, notFound, type Instant, type Position } from '#kernel';

import type { Mailer } from '#mailing/mail';
import { user, wallet } from '#people/model';
import { purchase, purchasesView } from '#purchasing/model';
import type { RegisteredErasure } from './entry.js';
import type { ErasureRegister } from './register.js';

/** Persons of the key store that are looked at together. */
const TOGETHER = 1_000;
/** Purchases of a user that are erased at once. */
const AT_ONCE = 16;

/** When and why somebody was erased. */
export interface Erased {
  readonly at: Instant;
  readonly reason: string;
  readonly position: Position | undefined;
}

/** What erasing works with. */
export interface EraserParts {
  readonly writer: Writer;
  readonly reader: Reader;
  readonly time: Time;
  readonly keys: KeyStore;
  readonly records: IdempotencyRecords;
  readonly mailer: Mailer;
  readonly register: ErasureRegister;
}

/**
 * Erases persons (ruling G12). The register comes first, then the key that opens their data. The event that says they are erased
 * comes last: as long as it is missing, the erasure is not done, and whoever goes on with it repeats every step.
 */
export class Eraser {
  constructor(private readonly parts: EraserParts) {}

  /**
   * Erases a user of any partner. Again: the same, and nothing more happens.
   * @throws DomainError not_found
   */
  async user(userId: string, reason: string, context: CommandContext): Promise<Erased> {
    const { writer, register } = this.parts;
    const known = await writer.readNow(user, userId);
    if (known === null) throw notFound('no user has this id');
    if (known.erased !== null) return { ...known.erased, position: undefined };
    const entry = await register.add(userId, reason);
    await this.#shut(userId);
    return this.#finishUser(userId, entry, context);
  }

  /**
   * Erases the buyer of a reseller's purchase. Again: the same.
   * @throws DomainError not_found, or buyer_is_user
   */
  async buyer(purchaseId: string, reason: string, context: CommandContext): Promise<Erased> {
    const { writer, register } = this.parts;
    const known = await writer.readNow(purchase, purchaseId);
    if (known.status === 'none') throw notFound('no purchase has this id');
    const { user_id } = known.status === 'sold' ? known.made : known.opened;
    if (user_id !== null) throw new DomainError('buyer_is_user', `the buyer is the user ${user_id}: erase the user`);
    if (known.buyer_erased !== undefined) return { ...known.buyer_erased, position: undefined };
    const entry = await register.add(purchaseId, reason);
    await this.#shut(purchaseId);
    return this.#finishBuyer(purchaseId, entry, context);
  }

  /** Makes what is known of everybody unreadable who must be erased and is not yet. It needs no views. @returns how many there are */
  async shutAll(): Promise<number> {
    const pending = await this.#pending();
    for (const { person } of pending) if (person !== undefined) await this.#shut(person);
    return pending.length;
  }

  /** Finishes all erasures that are registered and not done. @throws Unavailable while views or the log do not answer */
  async finishAll(): Promise<void> {
    const { writer, register } = this.parts;
    for (const { entry, person = '' } of await this.#pending()) {
      const context = writer.newContext('system:erasures');
      if ((await writer.readNow(user, person)) !== null) await this.#finishUser(person, entry, context);
      else if ((await writer.readNow(purchase, person)).status !== 'none')
        await this.#finishBuyer(person, entry, context);
      // No event names them: their data was sealed, and then the call failed; or an older copy of the data never knew them.
      else await register.done(entry.line);
    }
  }

  /** Destroys the key that opens a person's data, and the kept answers that show it. */
  async #shut(person: string): Promise<void> {
    const { keys, records } = this.parts;
    await keys.destroy(person);
    await records.erase(person);
  }

  async #finishUser(userId: string, { line, reason }: RegisteredErasure, context: CommandContext): Promise<Erased> {
    const { writer, reader, mailer, register } = this.parts;
    // No card is added from here on, so no purchase with a card begins.
    const { position } = await writer.execute(wallet, userId, { type: 'erase', user_id: userId }, context);
    const end = await reader.end();
    await reader.until([subscriptionsView, purchasesView], end);
    const subscriptions = await reader.all(subscriptionsView, eq('user_id', userId));
    await mailer.forget([userId, ...subscriptions.map(({ subscription_id }) => subscription_id)]);
    const purchases = await this.#erasePurchases(userId, reason, context);
    const erased = await writer.execute(user, userId, { type: 'erase', reason }, context);
    await register.done(line);
    return { ...known(erased.state?.erased), position: later(later(position, purchases), erased.position) };
  }

  /** What purchases show of a user's cards goes. */
  async #erasePurchases(userId: string, reason: string, context: CommandContext): Promise<Position | undefined> {
    const { writer, reader, time } = this.parts;
    let last: Position | undefined;
    const sort = [{ field: 'created_at' as const, descending: false }];
    for (let page = 1; ; page += 1) {
      const found = await reader
        .of(purchasesView)
        .find({ where: eq('user_id', userId), sort, page, perPage: TOGETHER });
      // A claimed reservation has no card.
      const withCards = found.filter(({ row }) => row.erased !== true && row.credit_card_id !== null);
      await atOnce(AT_ONCE, withCards, async ({ row }) => {
        const { position } = await withCallDeadline(time, () =>
          writer.execute(purchase, row.id, { type: 'erase-buyer', reason }, context),
        );
        last = later(last, position);
      });
      if (found.length < TOGETHER) return last;
    }
  }

  async #finishBuyer(id: string, { line, reason }: RegisteredErasure, context: CommandContext): Promise<Erased> {
    const { writer, register } = this.parts;
    const { state, position } = await writer.execute(purchase, id, { type: 'erase-buyer', reason }, context);
    await register.done(line);
    return { ...known(state.buyer_erased), position };
  }

  /** The erasures that are not done, with the person of each; without one if nothing is kept of them any more. */
  async #pending(): Promise<readonly { readonly entry: RegisteredErasure; readonly person: string | undefined }[]> {
    const { keys, register } = this.parts;
    const pending = await register.pending();
    if (pending.length === 0) return [];
    const names = new Set(pending.map(({ line }) => line.person));
    const persons = new Map<string, string>();
    for await (const page of keys.persons(TOGETHER)) {
      for (const person of page) {
        const name = register.nameOf(person);
        if (names.has(name)) persons.set(name, person);
      }
    }
    return pending.map((entry) => ({ entry, person: persons.get(entry.line.person) }));
  }
}

function known(erased: Omit<Erased, 'position'> | null | undefined): Omit<Erased, 'position'> {
  if (erased === null || erased === undefined) throw new Error('an erased person has the time of it');
  return erased;
}
