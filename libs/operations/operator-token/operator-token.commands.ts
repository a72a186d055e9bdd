import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, eq, type CommandContext, type Done } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { operatorToken } from './operator-token.decider.js';
import type { OperatorRole } from './operator-token.events.js';
import { nameKey, operatorSecretsView, operatorTokensView } from './operator-token.view.js';

/**
 * Issues a token to an operator or auditor (ruling G1); shown once. The name is the actor of all that is done with it, so no
 * other living token has it; those that a first start makes alone are the exception.
 */
export class IssueToken {
  constructor(
    readonly name: string,
    readonly role: OperatorRole,
    /** The token itself, where it was made elsewhere; made here otherwise. */
    readonly token: string | undefined,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(IssueToken)
export class IssueTokenHandler implements ICommandHandler<IssueToken, Done<{ token: string; id: string }>> {
  constructor(private readonly engine: Engine) {}

  async execute({ name, role, token: existing, context }: IssueToken): Promise<Done<{ token: string; id: string }>> {
    const { loop, keyring, freshness } = this.engine;
    const token = existing ?? keyring.secret();
    const hash = keyring.hash('operator-token', token);
    const id =
      existing === undefined ? keyring.deriveId(context.commandId, 0) : keyring.hash('operator-token-id', token);
    if (existing === undefined && (await this.#hasNamesake(name, id))) throw taken();
    const command = { type: 'issue', token_id: id, name, role, hash } as const;
    const { position } = await loop.execute(operatorToken, id, command, context);
    if (position === undefined && existing === undefined) {
      throw new DomainError('secrets_lost', 'the token exists; revoke it and issue another');
    }
    // A token that was there before is waited for by nobody: a start would fail while its views are being built anew.
    if (position !== undefined) await freshness.until([operatorSecretsView, operatorTokensView], position);
    if (position !== undefined && existing === undefined && (await this.#hasNamesake(name, id, position))) {
      // Issued at the same time, by another process perhaps, and first in the log: of all of them, one has the name.
      await loop.execute(operatorToken, id, { type: 'revoke', token_id: id }, context);
      throw taken();
    }
    return { row: { token, id }, position };
  }

  /** Whether another living token has this name, and was issued before a position. */
  async #hasNamesake(name: string, id: string, before?: Position): Promise<boolean> {
    const reader = this.engine.views.reader(operatorTokensView);
    const where = eq('living_name', nameKey(name));
    const living = await reader.find({ where, sort: [], page: 1, perPage: 100 });
    return living.some(({ row, position }) => row.id !== id && (before === undefined || position < before));
  }
}

const taken = (): DomainError => new DomainError('name_taken', 'has already been taken');

/** Ends a token: when this is answered, the token opens nothing. */
export class RevokeToken {
  constructor(
    readonly tokenId: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken, Done<null>> {
  constructor(private readonly engine: Engine) {}

  async execute({ tokenId, context }: RevokeToken): Promise<Done<null>> {
    const { loop, freshness, log } = this.engine;
    const { position } = await loop.execute(operatorToken, tokenId, { type: 'revoke', token_id: tokenId }, context);
    // Revoked before, perhaps by a first try that broke off: the views may not have seen it yet.
    await freshness.until([operatorSecretsView, operatorTokensView], position ?? (await log.head()));
    return { row: null, position };
  }
}
