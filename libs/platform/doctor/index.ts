import { thisMachine } from '#adapters/machine';
import type { Environment } from '../environment.js';
import { describeInstallation } from './description.js';
import { type Diagnosis, diagnose as diagnoseOn } from './doctor.js';
import type { LookOptions } from './looks.js';

export type { Diagnosis } from './doctor.js';
export { unknownNames } from './settings-look.js';

/** Checks an installation on this machine. */
export const diagnose = (environment: Environment, options: LookOptions = {}): Promise<Diagnosis> =>
  diagnoseOn(environment, options, thisMachine);

/** Describes an installation on this machine, without secrets and people. */
export const describe = (environment: Environment, options: LookOptions = {}): Promise<object> =>
  describeInstallation(environment, options, thisMachine);
