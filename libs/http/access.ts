import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Caller } from './call.js';
import { requestOf } from './call.js';
import { Refused } from './errors.js';

/** Who may call: partners; operators; operators and auditors; everybody. */
export type Access = 'partner' | 'operator' | 'auditor' | 'public';

const ACCESS = 'holdfast:access';

/** Says who may call a controller or one of its methods. Without it nobody may. */
export const AllowFor = (access: Access): ClassDecorator & MethodDecorator => SetMetadata(ACCESS, access);

/** Finds out who sent a credential. Absence is never remembered: a new key works at once. */
export abstract class Authenticator {
  /** The partner with this API key. */
  abstract partner(apiKey: string): Promise<Extract<Caller, { kind: 'partner' }> | undefined>;
  /** The operator or auditor with this token. */
  abstract operator(token: string): Promise<Extract<Caller, { kind: 'operator' }> | undefined>;
}

/** Lets calls in (rulings A4, G1). A missing, wrong or revoked credential is 401; a role that may not is 403. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'public') return true;
    const request = requestOf(context);
    const { call } = request;
    call.caller = access === 'partner' ? await this.#partner(request) : await this.#operator(request, access);
    const { caller } = call;
    if (caller.kind !== 'nobody') {
      const actor = `${caller.kind === 'partner' ? 'partner' : caller.role}:${caller.name}`;
      call.command = { ...call.command, actor };
    }
    return true;
  }

  async #partner({ headers, call }: FastifyRequest): Promise<Caller> {
    const key = call.parameters['api_key'] ?? headers['x-api-key'];
    const caller = typeof key === 'string' && key !== '' ? await this.authenticator.partner(key) : undefined;
    if (caller === undefined) throw new Refused(401, 'auth_failed', 'send a valid api_key, or the header X-Api-Key');
    return caller;
  }

  async #operator({ headers }: FastifyRequest, access: Access | undefined): Promise<Caller> {
    const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    const caller = token === undefined ? undefined : await this.authenticator.operator(token);
    if (caller === undefined) {
      throw new Refused(401, 'auth_failed', 'send a valid token as Authorization: Bearer <token>', {
        'www-authenticate': 'Bearer',
      });
    }
    if (access !== 'auditor' && caller.role !== 'operator') {
      throw new Refused(403, 'auth_failed', 'this call is for operators; your token is an auditor’s');
    }
    return caller;
  }
}
