import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, type CommandContext, type Done } from '#eventsourcing';
import { DomainError } from '#kernel';
import { operatorToken } from './operator.decider.js';
import type { OperatorRole } from './operator.events.js';
import { operatorSecretsView, operatorTokensView } from './operator.view.js';

/** Issues a token to an operator or auditor (ruling G1); shown once. */
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

  async execute({ name, role, token: given, context }: IssueToken): Promise<Done<{ token: string; id: string }>> {
    const { loop, keyring, freshness } = this.engine;
    const token = given ?? keyring.secret();
    const hash = keyring.hash('operator-token', token);
    const id = given === undefined ? keyring.deriveId(context.commandId, 0) : keyring.hash('operator-token-id', token);
    const command = { type: 'issue', token_id: id, name, role, hash } as const;
    const { position } = await loop.execute(operatorToken, id, command, context);
    if (position === undefined && given === undefined) {
      throw new DomainError('secrets_lost', 'the token exists; revoke it and issue another');
    }
    // A token that was there before is waited for by nobody: a start would fail while its views are being built anew.
    if (position !== undefined) await freshness.until([operatorSecretsView, operatorTokensView], position);
    return { row: { token, id }, position };
  }
}

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
