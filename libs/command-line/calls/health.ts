import { showHealth } from '../show-health.js';
import type { Call } from './call.js';

/** Whether the service is ready (ruling G11). */
export const HEALTH: readonly Call[] = [
  {
    noun: 'health',
    verb: 'show',
    kind: 'own',
    route: 'GET /health/ready',
    words: 'shows whether the service is ready, and what hinders it; exits with 3 if it is not ready',
    example: 'health show',
    run: showHealth,
  },
];
