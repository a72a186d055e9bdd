import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, eq, type CommandContext, type Done, Writer, Reader, Keyring } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { operatorToken } from './operator-token.decider.js';
import type { OperatorRole } from './operator-token.events.js';
import { hasEnded, nameKey, operatorSecretsView, operatorTokensView } from './operator-token.view.js';

/** How long a token counts unless somebody says otherwise, in seconds. */
export const NINETY_DAYS = 90 * 86_400;

/**
 * Issues a token to an operator or auditor (ruling G1). It is shown once. Events store its name as the actor, so no two valid
 * tokens have the same name. Only the tokens of a first start are not checked. A repeat is refused: nobody has seen the token of
 * the first try.
 */
export class IssueToken extends Command<Done<{ token: string; id: string }>> {
  constructor(
    readonly name: string,
    readonly role: OperatorRole,
    /** The token, if it exists already; otherwise the command makes it. */
    readonly token: string | undefined,
    readonly context: CommandContext,
    /** Seconds until it ends; one that exists already has no end. */
    readonly expiresIn: number = NINETY_DAYS,
  ) {
    super();
  }
}

@CommandHandler(IssueToken)
export class IssueTokenHandler implements ICommandHandler<IssueToken> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
    private readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async execute({
    name,
    role,
    token: existing,
    context,
    expiresIn,
  }: IssueToken): Promise<Done<{ token: string; id: string }>> {
    const { writer, keyring, reader } = this;
    const token = existing ?? keyring.secret();
    const hash = keyring.hash('operator-token', token);
    const id =
      existing === undefined ? keyring.deriveId(context.commandId, 0) : keyring.hash('operator-token-id', token);
    if (existing === undefined && (await this.#hasNamesake(name, id))) throw taken();
    const expires_in = existing === undefined ? expiresIn : null;
    const command = { type: 'issue', token_id: id, name, role, hash, expires_in } as const;
    const { position } = await writer.execute(operatorToken, id, command, context);
    if (position === undefined && existing === undefined) {
      throw new DomainError('secrets_lost', 'the token exists; revoke it and issue another');
    }
    // For an existing token it does not wait: otherwise a start would fail while the views are rebuilt.
    if (position !== undefined) await reader.until([operatorSecretsView, operatorTokensView], position);
    if (position !== undefined && existing === undefined && (await this.#hasNamesake(name, id, position))) {
      // Another command took the name at the same time, and came first in the log: only that one keeps it.
      await writer.execute(operatorToken, id, { type: 'revoke', token_id: id }, context);
      throw taken();
    }
    return { row: { token, id }, position };
  }

  /** Whether another valid token has this name and, if `before` is given, was issued before that position. */
  async #hasNamesake(name: string, id: string, before?: Position): Promise<boolean> {
    const reader = this.reader.of(operatorTokensView);
    const where = eq('living_name', nameKey(name));
    const living = await reader.find({ where, sort: [], page: 1, perPage: 100 });
    const now = this.clock.now();
    return living.some(
      ({ row, position }) => row.id !== id && !hasEnded(row, now) && (before === undefined || position < before),
    );
  }
}

const taken = (): DomainError => new DomainError('name_taken', 'has already been taken');

/** Revokes a token. After the answer, the token does not work any more. A repeat changes nothing: no token is valid again. */
export class RevokeToken extends Command<Done<null>> {
  constructor(
    readonly tokenId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async execute({ tokenId, context }: RevokeToken): Promise<Done<null>> {
    const { writer, reader } = this;
    const { position } = await writer.execute(operatorToken, tokenId, { type: 'revoke', token_id: tokenId }, context);
    // A first try may have revoked it and broken off: the views may still be behind.
    await reader.until([operatorSecretsView, operatorTokensView], position ?? (await reader.end()));
    return { row: null, position };
  }
}
