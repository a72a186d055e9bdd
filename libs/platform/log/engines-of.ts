import type { Config } from '../config.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { logEngineOf } from '../engines/log-engines.js';
import type { Server } from '../engines/named-engine.js';
import { hostsOf } from './log-waits.js';

/** The engines of a process, for its log: names and hosts, without credentials. */
export function enginesOf(config: Config): Readonly<Record<string, string>> {
  const { redisUrl, sandboxGatewayUrl } = config;
  const named = (url: string | undefined, name: string): string =>
    url === undefined ? 'embedded' : `${name} at ${hostsOf(url)}`;
  const at = (server: Server | undefined): string => named(server?.url, server?.name ?? '');
  return {
    log: at(logEngineOf(config).server(config)),
    views: at(stateEngineOf(config).server(config)),
    work: named(redisUrl, 'Redis'),
    gateway: named(sandboxGatewayUrl, 'the sandbox gateway'),
  };
}
