import type { Config } from '../config.js';
import { gatewayOf } from '../engines/gateways.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { logEngineOf } from '../engines/log-engines.js';
import type { Server } from '../engines/named-engine.js';
import { timersEngineOf } from '../engines/timers-engines.js';
import { hostsOf } from './log-waits.js';

/** The engines of a process, for its log: names and hosts, without credentials. */
export function enginesOf(config: Config): Readonly<Record<string, string>> {
  const at = (server: Server | undefined): string =>
    server === undefined ? 'embedded' : `${server.name} at ${hostsOf(server.url)}`;
  return {
    log: at(logEngineOf(config).server(config)),
    views: at(stateEngineOf(config).server(config)),
    work: at(timersEngineOf(config).server(config)),
    mail: config.smtp === undefined ? 'outbox' : `SMTP at ${config.smtp.host}:${config.smtp.port}`,
    gateway: at(gatewayOf(config).server(config)),
  };
}
