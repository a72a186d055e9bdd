import { verifyLog } from '../verify-log.js';
import type { Call } from './call.js';

/** Checks the whole log (ruling G7.10). */
export const VERIFY: readonly Call[] = [
  {
    noun: 'verify',
    verb: '',
    kind: 'own',
    route: 'GET /auditors/verification',
    words:
      'checks the whole log against itself, the views, the snapshots and the gateway’s ledger (with --json: lines of JSON); exits with 1 if it finds anything',
    example: 'verify',
    run: verifyLog,
  },
];
