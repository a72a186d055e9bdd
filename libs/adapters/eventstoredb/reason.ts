import { Denied, isDenied, isLate, isUnreached } from './answers.js';
import { errorMessageOf } from './server.js';

/** Messages of the network, and the advice for operators. The first match counts. */
const NETWORK: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'nothing listens there (ECONNREFUSED): check that it runs, and that host and port are right'],
  [
    /Name resolution failed|ENOTFOUND|EAI_AGAIN/,
    'its name cannot be resolved: check that the host is right, and that DNS answers',
  ],
  [/ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/, 'the network does not reach it: check network and firewall'],
  [
    /certificate|CERT_|altname/i,
    'its certificate is not trusted, or is for another name: check the host, and set tlsCAFile to the file of its authority',
  ],
  [
    /ECONNRESET|socket hang up|Connection dropped|Protocol error/i,
    'it closes the connection: check that it runs, and, if it requires TLS, that the setting does not have tls=false',
  ],
];

/** Why a call to EventStoreDB failed and what operators should check, without addresses and credentials. */
export function reasonOf(error: unknown): string {
  if (error instanceof Denied) {
    return `it does not allow its user to ${error.right}: give the user of EVENTSTORE_URL that right (docs/growing.md)`;
  }
  if (isDenied(error)) {
    return 'it refuses the user: check user and password in EVENTSTORE_URL, and the rights of that user on the streams';
  }
  if (isLate(error)) return 'it does not answer in time: check that it is not stopped or overloaded';
  if (!isUnreached(error)) return errorMessageOf(error);
  const { message } = error as Error;
  const known = NETWORK.find(([words]) => words.test(message));
  return known?.[1] ?? 'it cannot be reached: check that it runs, and that host, port and tls are right';
}
