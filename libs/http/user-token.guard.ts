import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Freshness } from '#eventsourcing';
import { partnerOf, requestOf, sinceOf, userTokenOf, type Call } from './call.js';
import { descriptionOf } from './describe.js';
import type { UserToken } from './user-token.js';
import { otherUser, refused, tokenUseOf, type OwnerQuery } from './token-use.js';

/**
 * Keeps a call with an access token to the token's user (ruling A7), fills in the `user_id` that it leaves out, and refuses
 * parameters that are the partner's alone. Runs after `AccessCheck`, which has checked scope and access.
 */
@Injectable()
export class UserTokenGuard implements CanActivate {
  constructor(
    private readonly freshness: Freshness,
    private readonly queries: QueryBus,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const token = userTokenOf(requestOf(context).call);
    return token === undefined ? true : this.#keepTo(token, context);
  }

  async #keepTo(token: UserToken, context: ExecutionContext): Promise<boolean> {
    const { call, params } = requestOf(context);
    const method = context.getHandler();
    const inPath = params as Readonly<Record<string, string>>;
    const use = tokenUseOf(method, context.getClass());
    const owners = use?.kind === 'tokens' ? use.owners : {};
    if (!('user_id' in owners) && (inPath['user_id'] ?? token.user_id) !== token.user_id) throw otherUser();
    const takes = descriptionOf(method)?.parameters?.shape ?? {};
    nameUser(call, takes, token.user_id);
    refusePartners(call, takes);
    if (use?.kind !== 'tokens') return false;
    for (const [name, Owner] of Object.entries(owners)) {
      const owner = await this.#ownerOf(call, Owner, inPath[name] ?? '');
      if (owner !== undefined && owner !== token.user_id) throw otherUser();
    }
    return true;
  }

  #ownerOf(call: Call, Owner: OwnerQuery, id: string): Promise<string | null | undefined> {
    return this.queries.execute(new Owner(partnerOf(call).id, id, sinceOf(call, this.freshness)));
  }
}

/** Parameters that are the partner's alone (ruling I9): no user writes them, whichever call takes them. */
const PARTNERS = ['partner_data'];

/** @param takes the parameters that the call takes */
function refusePartners({ parameters }: Call, takes: object): void {
  const sent = PARTNERS.find((name) => name in takes && (parameters[name] ?? null) !== null);
  if (sent !== undefined) throw refused(`${sent} is the partner’s alone: no access token writes it`);
}

/** Parameters that name a user. In a full purchase, `user` creates one, which no token allows (ruling H2). */
const NAMES = ['user_id', 'user'];

/** @param takes the parameters that the call takes */
function nameUser(call: Call, takes: object, userId: string): void {
  const { parameters } = call;
  for (const name of NAMES.filter((each) => each in takes)) {
    const given = parameters[name];
    const isAbsent = given === undefined || given === null || given === '';
    if (!isAbsent && given !== userId) throw otherUser();
  }
  if ('user_id' in takes) call.parameters = { ...parameters, user_id: userId };
}
