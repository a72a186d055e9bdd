import { SetMetadata } from '@nestjs/common';
import type { Caller } from './call.js';

/**
 * Who may call: partners with a key; partners with their user name and v3 password; operators, and auditors what only reads
 * (ruling G1); auditors, and operators; everybody.
 */
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
export interface Authenticator {
  /** The partner with this API key. */
  partner(apiKey: string): Promise<Extract<Caller, { kind: 'partner' }> | undefined>;
  /** The partner with this user name and v3 password. */
  partnerV3(username: string, password: string): Promise<Extract<Caller, { kind: 'partner' }> | undefined>;
  /** The operator or auditor with this token. */
  operator(token: string): Promise<Extract<Caller, { kind: 'operator' }> | undefined>;
}
