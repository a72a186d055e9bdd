import type { Config } from '../config.js';
import { hostsOf } from './waiting.js';

/** What a process stands on, as its log tells it: hosts, never who asks them. */
export function enginesOf({
  eventStoreUrl,
  mongoUrl,
  redisUrl,
  sandboxGatewayUrl,
}: Config): Readonly<Record<string, string>> {
  const named = (url: string | undefined, name: string): string =>
    url === undefined ? 'embedded' : `${name} at ${hostsOf(url)}`;
  return {
    log: named(eventStoreUrl, 'EventStoreDB'),
    views: named(mongoUrl, 'MongoDB'),
    work: named(redisUrl, 'Redis'),
    gateway: named(sandboxGatewayUrl, 'the sandbox gateway'),
  };
}
