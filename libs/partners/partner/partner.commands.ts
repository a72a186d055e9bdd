import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Reader, Keyring } from '#eventsourcing';
import { DomainError } from '#kernel';
import { KeyUses } from './key-uses.js';
import { partner, type PartnerChange, type PartnerState } from './partner.decider.js';
import type { PartnerKeyIssued } from './partner.events.js';
import { partnerIdFrom } from './partner-id.js';
import { apiKeysView, partnersView, v3PasswordsView } from './partner.view.js';

/**
 * Creates a partner without secrets, for an import, where nobody would see them. An operator later issues a key, and a
 * password if the partner calls v3. A repeat finds the partner by their slug.
 */
export class EnrolPartner extends Command<Done<string>> {
  constructor(
    readonly name: string,
    readonly slug: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * Decides a partner as `EnrolPartner` does, and writes nothing.
 * @returns whether there would be a new one
 * @throws DomainError
 */
export async function rehearseEnrolment(
  writer: Pick<Writer, 'rehearse'>,
  keyring: Keyring,
  { name, slug }: Pick<EnrolPartner, 'name' | 'slug'>,
): Promise<boolean> {
  const id = partnerIdFrom(keyring, slug);
  return (await writer.rehearse(partner, id, [{ type: 'enrol', partner_id: id, name, slug }])) > 0;
}

@CommandHandler(EnrolPartner)
export class EnrolPartnerHandler implements ICommandHandler<EnrolPartner> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
  ) {}

  async execute({ name, slug, context }: EnrolPartner): Promise<Done<string>> {
    const { writer, reader } = this;
    const id = partnerIdFrom(this.keyring, slug);
    const { position } = await writer.execute(partner, id, { type: 'enrol', partner_id: id, name, slug }, context);
    if (position !== undefined) await reader.until([partnersView], position);
    return { row: id, position };
  }
}

/** A new partner. Only this answer shows its secrets in clear text (ruling G2). */
interface NewPartner {
  readonly partner: { readonly id: string; readonly name: string; readonly slug: string };
  readonly api_key: string;
  readonly key_id: string;
  readonly username: string;
  readonly password: string;
}

/** Creates a partner with their first key and password. A repeat is refused: nobody has seen the secrets of the first try. */
export class CreatePartner extends Command<Done<NewPartner>> {
  constructor(
    readonly name: string,
    readonly slug: string,
    readonly storefrontUrl: string | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreatePartner)
export class CreatePartnerHandler implements ICommandHandler<CreatePartner> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
  ) {}

  async execute({ name, slug, storefrontUrl, context }: CreatePartner): Promise<Done<NewPartner>> {
    const { writer, keyring, reader } = this;
    const id = partnerIdFrom(this.keyring, slug);
    const apiKey = keyring.secret();
    const password = keyring.secret();
    const key_id = keyring.deriveId(context.commandId, 0);
    const { position } = await writer.execute(
      partner,
      id,
      {
        type: 'create',
        partner_id: id,
        name,
        slug,
        key: { key_id, hash: keyring.hash('api-key', apiKey) },
        password: keyring.hash('v3-password', password),
        storefront_url: storefrontUrl,
      },
      context,
    );
    if (position === undefined) {
      // The first try broke off after it created the partner. Nobody has seen its secrets, so an operator issues new ones.
      throw new DomainError('secrets_lost', 'the partner exists; issue it a new key and a new password');
    }
    await reader.until([apiKeysView, v3PasswordsView, partnersView], position);
    return { row: { partner: { id, name, slug }, api_key: apiKey, key_id, username: slug, password }, position };
  }
}

/** What a new key is called, and what it allows: null for a full key (ruling I8). */
export type KeyInput = Pick<PartnerKeyIssued, 'name' | 'restriction'>;

/**
 * Issues another key; the old ones stay valid until an operator revokes them (ruling A4). A repeat is refused: nobody has seen the
 * key of the first try.
 */
export class IssueKey extends Command<Done<{ api_key: string; key_id: string }>> {
  constructor(
    readonly partnerId: string,
    readonly input: KeyInput,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(IssueKey)
export class IssueKeyHandler implements ICommandHandler<IssueKey> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
  ) {}

  async execute({ partnerId, input, context }: IssueKey): Promise<Done<{ api_key: string; key_id: string }>> {
    const { writer, keyring, reader } = this;
    const apiKey = keyring.secret();
    const key_id = keyring.deriveId(context.commandId, 0);
    const hash = keyring.hash('api-key', apiKey);
    const { position } = await writer.execute(
      partner,
      partnerId,
      { type: 'issue-key', partner_id: partnerId, key_id, hash, ...input },
      context,
    );
    if (position === undefined) throw new DomainError('secrets_lost', 'the key exists; revoke it and issue another');
    await reader.until([apiKeysView, partnersView], position);
    return { row: { api_key: apiKey, key_id }, position };
  }
}

/** Revokes a key: when the caller gets the answer, no call can use the key. A repeat changes nothing: no key is valid again. */
export class RevokeKey extends Command<Done<null>> {
  constructor(
    readonly partnerId: string,
    readonly keyId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RevokeKey)
export class RevokeKeyHandler implements ICommandHandler<RevokeKey> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly uses: KeyUses,
  ) {}

  async execute({ partnerId, keyId, context }: RevokeKey): Promise<Done<null>> {
    const { writer, reader } = this;
    const command = { type: 'revoke-key', partner_id: partnerId, key_id: keyId } as const;
    const { position } = await writer.execute(partner, partnerId, command, context);
    // Without a new event an earlier try revoked the key: the views may not have that event yet.
    await reader.until([apiKeysView, partnersView], position ?? (await reader.end()));
    // What a failure leaves goes with the next write of the partner.
    await this.uses.forget(partnerId).catch(() => undefined);
    return { row: null, position };
  }
}

/** Replaces the v3 password: when the caller gets the answer, only the new password is valid. */
export class ReplacePassword extends Command<Done<{ username: string; password: string }>> {
  constructor(
    readonly partnerId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReplacePassword)
export class ReplacePasswordHandler implements ICommandHandler<ReplacePassword> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
  ) {}

  async execute({ partnerId, context }: ReplacePassword): Promise<Done<{ username: string; password: string }>> {
    const { writer, keyring, reader } = this;
    // Another operator may have set a password since an earlier try broke off: it stays.
    const before = await writer.repeat(context, partner, partnerId, { types: ['partner-password-set.v1'] });
    if (before !== undefined) {
      throw new DomainError(
        'secrets_lost',
        'the password was replaced, and nobody has seen the new one; replace it again',
      );
    }
    const password = keyring.secret();
    const command = {
      type: 'set-password',
      partner_id: partnerId,
      hash: keyring.hash('v3-password', password),
    } as const;
    const { position, state } = await writer.execute(partner, partnerId, command, context);
    if (position !== undefined) await reader.until([v3PasswordsView], position);
    return { row: { username: state.slug, password }, position };
  }
}

/**
 * Sets, changes or removes (null) the address that a partner's mails link to (ruling H4), and suspends the partner or ends that
 * (ruling I10): both in one decision.
 */
export class ChangePartner extends Command<Done<ChangedPartner>> {
  constructor(
    readonly partnerId: string,
    readonly change: PartnerChange,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** What operators can change of a partner, as it is now. */
type ChangedPartner = Pick<PartnerState, 'storefront_url' | 'suspended'>;

@CommandHandler(ChangePartner)
export class ChangePartnerHandler implements ICommandHandler<ChangePartner> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async execute({ partnerId, change, context }: ChangePartner): Promise<Done<ChangedPartner>> {
    const { writer, reader } = this;
    // What an earlier try has set is not set again: another operator may have changed it since (ruling A11).
    const before = await writer.repeat(context, partner, partnerId, {
      types: ['partner-storefront-set.v1', 'partner-suspension-set.v1'],
    });
    const { state, position } =
      before === undefined
        ? await writer.execute(partner, partnerId, { type: 'change', partner_id: partnerId, ...change }, context)
        : { state: await writer.readNow(partner, partnerId), position: before.position };
    if (position !== undefined) await reader.until([partnersView], position);
    return { row: { storefront_url: state.storefront_url, suspended: state.suspended }, position };
  }
}

/** The id of the partner with this slug; undefined if there is none. */
export async function findPartner(writer: Writer, keyring: Keyring, slug: string): Promise<string | undefined> {
  const id = partnerIdFrom(keyring, slug);
  return (await writer.read(partner, id)).slug === slug ? id : undefined;
}

/** The storefront of a partner, for `storefrontOf`; null if they have none. */
export async function storefrontUrlOf(writer: Writer, id: string): Promise<string | null> {
  return (await writer.read(partner, id)).storefront_url;
}

/** The ids of a partner's valid keys: access tokens that others issued have ended (ruling I10). */
export async function validKeysOf(writer: Writer, id: string): Promise<readonly string[]> {
  return Object.keys((await writer.read(partner, id)).keys);
}

/** Whether the partner's mails are paused (ruling I10). */
export async function isSuspended(writer: Writer, id: string): Promise<boolean> {
  return (await writer.read(partner, id)).suspended;
}
