import { isDenied, isLate, isUnreached } from './answers.js';
import { errorMessageOf } from './server.js';

/** Messages of the network, and the advice for operators. The first match counts. */
const NETWORK: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'nothing listens there (ECONNREFUSED): does it run, and are host and port right?'],
  [
    /Name resolution failed|ENOTFOUND|EAI_AGAIN/,
    'its name cannot be resolved: is the host right, and does DNS answer?',
  ],
  [/ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/, 'no way leads there: see to network and firewall'],
  [
    /certificate|CERT_|altname/i,
    'its certificate is not trusted, or is for another name: name its authority with tlsCAFile=',
  ],
  [
    /ECONNRESET|socket hang up|Connection dropped|Protocol error/i,
    'it breaks the connection off: does it ask for TLS, which tls=false leaves out?',
  ],
];

/** Why a call to EventStoreDB failed and what operators should check, without addresses and credentials. */
export function reasonOf(error: unknown): string {
  if (isDenied(error)) {
    return 'it does not let us in: see to user and password in EVENTSTORE_URL, and to what that user may do with the streams';
  }
  if (isLate(error)) return 'it does not answer in time: is it frozen, or overloaded?';
  if (!isUnreached(error)) return errorMessageOf(error);
  const { message } = error as Error;
  const known = NETWORK.find(([words]) => words.test(message));
  return known?.[1] ?? 'it cannot be reached: does it run, and are host, port and tls right?';
}
