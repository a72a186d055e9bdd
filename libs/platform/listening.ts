import { createServer } from 'node:net';

/** Where a program listens. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * Looks whether the program may listen there, before anything else is begun.
 * @throws Error in words that name PORT or HOST
 */
export function checkPlace(place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(inWords(error, place)));
    server.listen(place.port, place.host, () => server.close(() => resolve()));
  });
}

/** What is said of a place that cannot be listened at. */
export function inWords(error: Error, { host, port }: Place): Error {
  const said = (why: string): Error => new Error(why, { cause: error });
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return said(
        `port ${port} of ${host} is in use: another program, perhaps another Holdfast, listens there. Stop that one, or set PORT to another port`,
      );
    case 'EACCES':
      return said(
        `port ${port} may not be listened at by this user: set PORT to one from 1024, or grant the right to it`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return said(`HOST is ${host}, which is no address of this machine: set it to one, or to 0.0.0.0 for all of them`);
    default:
      return error;
  }
}
