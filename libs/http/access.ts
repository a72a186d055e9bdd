import { SetMetadata } from '@nestjs/common';
import type { Caller } from './call.js';

/**
 * Who may call (ruling G1).
 * - `partner`: partners, with an API key; and users, with an access token, as far as `@TokenScope` says.
 * - `partner-v3`: partners, with their user name and v3 password.
 * - `operator`: operators; auditors too if the call only reads.
 * - `auditor`: auditors and operators.
 * - `public`: everybody, without a credential.
 * - `monitor`: everybody too; operators and auditors, with a token, see more, and so does everybody at the admin address.
 * - `watcher`: operators and auditors, with a token; at the admin address everybody, without one.
 */
export type Access = 'partner' | 'partner-v3' | 'operator' | 'auditor' | 'public' | 'monitor' | 'watcher';

/** Whether a call may come without a credential; the service reads neither its query nor its body. */
export function isOpen(access: Access | undefined): boolean {
  return access === 'public' || access === 'monitor' || access === 'watcher';
}

const ACCESS = 'holdfast:access';

/** Sets who may call a controller or one of its methods. Without it, the call is for operators only. */
export const AllowFor = (access: Access): ClassDecorator & MethodDecorator => SetMetadata(ACCESS, access);

/** Who may call a controller's method. The method's own setting wins over the controller's. */
export function accessOf(method: object, controller: object): Access | undefined {
  const declared = [method, controller].map((target) => Reflect.getMetadata(ACCESS, target) as Access | undefined);
  return declared[0] ?? declared[1];
}

/** Finds the caller that a credential belongs to. It never caches that a credential is unknown: a new key works at once. */
export interface Authenticator {
  /** The partner with this API key. */
  partner(apiKey: string): Promise<Extract<Caller, { kind: 'partner' }> | undefined>;
  /** The partner with this user name and v3 password. */
  partnerV3(username: string, password: string): Promise<Extract<Caller, { kind: 'partner' }> | undefined>;
  /** The partner and the user of this access token; undefined once it has expired (ruling A7). */
  userToken(token: string): Promise<Extract<Caller, { kind: 'partner' }> | undefined>;
  /** The operator or auditor with this token. */
  operator(token: string): Promise<Extract<Caller, { kind: 'operator' }> | undefined>;
  /** The same for a call that must answer in any state of the service: while no view is there to ask, the first start's tokens count. */
  monitor(token: string): Promise<Extract<Caller, { kind: 'operator' }> | undefined>;
}
