import type { Config } from '../config.js';
import { hostsOf } from '../log/waiting.js';

/** The settings that name servers; what none of them names is in the data folder, or in the process. */
export type ServerUrls = Pick<Config, 'eventStoreUrl' | 'mongoUrl'>;

/** A server that an engine is on. */
export interface Server {
  /** As people know it. */
  readonly name: string;
  readonly url: string;
}

/** What every engine says of itself. */
export interface Named {
  /** Whether it lies in the data folder, which then has its files. */
  readonly inFolder: boolean;
  /** The server that the configuration names for it; undefined where it names none. */
  server(urls: ServerUrls): Server | undefined;
}

/** The engine that the configuration names a server for, or else the embedded one. */
export function namedBy<Engine extends Named>(
  urls: ServerUrls,
  engines: Readonly<Record<string, Engine>> & { readonly embedded: Engine },
): Engine {
  return Object.values(engines).find((engine) => engine.server(urls) !== undefined) ?? engines.embedded;
}

/** Where an engine is, in words for people: never who asks it. */
export function whereIs(engine: Named, urls: ServerUrls): string {
  const server = engine.server(urls);
  return server === undefined ? 'the data folder' : `${server.name} at ${hostsOf(server.url)}`;
}

/** @throws Error where an engine is opened that the configuration does not name */
export function urlOf(engine: Named, urls: ServerUrls): string {
  const server = engine.server(urls);
  if (server === undefined) throw new Error('the configuration names no server for this engine');
  return server.url;
}
