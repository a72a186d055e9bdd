import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';

/** The address of a program. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The variable that names both. Without it, they are HOST and PORT. */
  readonly variable?: string;
}

/**
 * The one address that a program listens at. `localhost` may have two, 127.0.0.1 and ::1. Fastify would open another server
 * for the second one, without our bounds. So it is the first one, an IPv4 address if possible.
 * @throws Error that names HOST, or the variable
 */
export async function addressOf(place: ListenAddress): Promise<string> {
  if (place.host !== 'localhost') return place.host;
  try {
    return (await lookup(place.host, { order: 'ipv4first' })).address;
  } catch (error) {
    throw listenError(error as Error, place);
  }
}

/**
 * Checks that the program can listen there, before anything else begins.
 * @throws Error that names PORT or HOST, or the variable
 */
export async function checkListenAddress(place: ListenAddress): Promise<void> {
  const address = await addressOf(place);
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(listenError(error, place)));
    server.listen(place.port, address, () => server.close(() => resolve()));
  });
}

/** An error for people to read about an address that the program cannot listen at. */
export function listenError(error: Error, { host, port, variable }: ListenAddress): Error {
  const failure = (why: string): Error => new Error(why, { cause: error });
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return failure(
        `port ${port} of ${host} is in use: another program, perhaps another Holdfast, listens there. Stop that one, or set ${variable ?? 'PORT'} to another port`,
      );
    case 'EACCES':
      return failure(
        `this user may not listen at port ${port}: set ${variable === undefined ? 'PORT' : `the port of ${variable}`} to 1024 or higher, or grant the right`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failure(
        `${variable === undefined ? 'HOST is' : `${variable} names`} ${host}, which is not an address of this machine: set it to one, or to 0.0.0.0 for all of them`,
      );
    default:
      return error;
  }
}
