import type { ServerUrls } from '../config.js';
import { hostsOf } from '../log/log-waits.js';

/** The server of an engine. */
export interface Server {
  /** The product's name. */
  readonly name: string;
  readonly url: string;
}

/** What every engine says about itself. */
export interface NamedEngine {
  /** Whether its files are in the data folder. */
  readonly inFolder: boolean;
  /** Its server in the configuration, if there is one. */
  server(urls: ServerUrls): Server | undefined;
}

/** The engine whose server is in the configuration, otherwise the embedded one. */
export function engineNamedBy<Engine extends NamedEngine>(
  urls: ServerUrls,
  engines: Readonly<Record<string, Engine>> & { readonly embedded: Engine },
): Engine {
  return Object.values(engines).find((engine) => engine.server(urls) !== undefined) ?? engines.embedded;
}

/** The place of an engine, for people to read: without credentials. */
export function whereIs(engine: NamedEngine, urls: ServerUrls): string {
  const server = engine.server(urls);
  if (server === undefined) return engine.inFolder ? 'the data folder' : 'this process';
  return `${server.name} at ${hostsOf(server.url)}`;
}

/** @throws Error if the configuration names no server for this engine */
export function urlOf(engine: NamedEngine, urls: ServerUrls): string {
  const server = engine.server(urls);
  if (server === undefined) throw new Error('the configuration names no server for this engine');
  return server.url;
}
