import { CERTIFICATE, DEAL_EVENTS, showCertificate, writeDealEvents } from '../deal-proof.js';
import type { Call } from './call.js';
import { id } from './values.js';

const slug = { slug: id('the id of a deal, such as tram-28', 'deal') };
const UNTIL = { until: 'the position of the last event to look at' };

/** The proof that a deal was never oversold, and the events that it is made from, for auditors (ruling G7.4). */
export const PROOFS: readonly Call[] = [
  {
    noun: 'deals',
    verb: 'certificate',
    kind: 'own',
    route: CERTIFICATE,
    words: 'proves from the events of a deal that it was never oversold; exits with 1 if a rule is broken',
    example: 'deals certificate tram-28',
    arguments: slug,
    options: UNTIL,
    run: showCertificate,
  },
  {
    noun: 'deals',
    verb: 'events',
    kind: 'own',
    route: DEAL_EVENTS,
    words: 'writes all events of a deal (with --json: what tools/certificate.py reads)',
    example: 'deals events tram-28 --json',
    arguments: slug,
    options: UNTIL,
    run: writeDealEvents,
  },
];
