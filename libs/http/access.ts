import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { actorOf, NOBODY, requestOf, type Caller } from './call.js';
import { Refused } from './errors.js';
import { isForWatchers } from './paths.js';
import { RateLimit } from './rate-limit.js';

/** Who may call: partners with a key; partners with their user name and v3 password; operators; operators and auditors; everybody. */
export type Access = 'partner' | 'partner-v3' | 'operator' | 'auditor' | 'public';

const ACCESS = 'holdfast:access';

/** Says who may call a controller or one of its methods. Without it nobody may. */
export const AllowFor = (access: Access): ClassDecorator & MethodDecorator => SetMetadata(ACCESS, access);

/** Who may call a controller's method. */
export function accessOf(method: object, controller: object): Access | undefined {
  const said = [method, controller].map((target) => Reflect.getMetadata(ACCESS, target) as Access | undefined);
  return said[0] ?? said[1];
}

/** Finds out who sent a credential. Absence is never remembered: a new key works at once. */
export abstract class Authenticator {
  /** The partner with this API key. */
  abstract partner(apiKey: string): Promise<Extract<Caller, { kind: 'partner' }> | undefined>;
  /** The partner with this user name and v3 password. */
  abstract partnerV3(username: string, password: string): Promise<Extract<Caller, { kind: 'partner' }> | undefined>;
  /** The operator or auditor with this token. */
  abstract operator(token: string): Promise<Extract<Caller, { kind: 'operator' }> | undefined>;
}

/**
 * Lets calls in (rulings A4, G1). A missing, wrong or revoked credential is 401; a role that may not is 403. Partners, and
 * whoever is not known, may call only so often (ruling A8).
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly limit: RateLimit,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = requestOf(context);
    const { call } = request;
    try {
      call.caller = await this.#caller(request, access);
    } catch (error) {
      await this.limit.take(request);
      throw error;
    }
    const { caller } = call;
    if (caller.kind !== 'nobody') call.command = { ...call.command, actor: actorOf(caller) };
    if (caller.kind !== 'operator' && !isForWatchers(request.url)) await this.limit.take(request);
    return true;
  }

  #caller(request: FastifyRequest, access: Access | undefined): Promise<Caller> {
    switch (access) {
      case 'public':
        return Promise.resolve(NOBODY);
      case 'partner':
        return this.#partner(request);
      case 'partner-v3':
        return this.#partnerV3(request);
      default:
        return this.#operator(request, access);
    }
  }

  async #partner({ headers, call }: FastifyRequest): Promise<Caller> {
    const key = call.parameters['api_key'] ?? headers['x-api-key'];
    const caller = typeof key === 'string' && key !== '' ? await this.authenticator.partner(key) : undefined;
    if (caller === undefined) throw new Refused(401, 'auth_failed', 'send a valid api_key, or the header X-Api-Key');
    return caller;
  }

  async #partnerV3({ headers }: FastifyRequest): Promise<Caller> {
    const sent = /^Basic ([\w+/=-]+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    // A user name has no colon; a password may.
    const [, username, password] = /^([^:]*):([^]*)$/.exec(Buffer.from(sent, 'base64').toString()) ?? [];
    const caller =
      username === undefined || password === undefined
        ? undefined
        : await this.authenticator.partnerV3(username, password);
    if (caller === undefined) {
      throw new Refused(401, 'auth_failed', 'send a valid user name and password by HTTP Basic', {
        'www-authenticate': 'Basic realm="Holdfast"',
      });
    }
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
