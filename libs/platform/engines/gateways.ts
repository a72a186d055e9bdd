import { join } from 'node:path';
import { SandboxGateway } from '#adapters/sandbox-gateway';
import type { Clock, Time } from '#eventsourcing';
import type { PaymentGateway } from '#purchasing';
import type { Config, GatewayUrls } from '../config.js';
import { LEDGER_FILE } from '../folder/ledger-file.js';
import { engineNamedBy, type NamedEngine, urlOf } from './named-engine.js';

/** The payment gateway of a process. */
export type OpenedGateway = PaymentGateway & { close(): Promise<void> };

/** The parts of the process that a gateway needs. */
export interface AroundGateway {
  readonly clock: Clock;
  /** The installation for which the gateway is asked. */
  readonly installation: string;
  readonly time: Time;
}

/** A payment gateway that a setting selects; `inFolder` says whether its ledger is in the data folder. */
export interface GatewayEngine extends NamedEngine<GatewayUrls> {
  /** @throws Error for people to read */
  open(config: Config, around: AroundGateway): Promise<OpenedGateway>;
}

/** The sandbox gateway in this process. */
const embedded: GatewayEngine = {
  inFolder: true,
  server: () => undefined,
  open({ dataDir, gatewayTimeout: timeout }, { clock, installation, time }) {
    const ledger = join(dataDir, LEDGER_FILE);
    return SandboxGateway.open({ ledger, installation, timeout, now: () => clock.now(), time });
  },
};

/** The sandbox gateway in a process of its own. */
const sandboxGatewayUrl: GatewayEngine = {
  inFolder: false,
  server: ({ sandboxGatewayUrl: url }) => (url === undefined ? undefined : { name: 'the sandbox gateway', url }),
  async open(config, { installation, time }) {
    const { HttpSandboxGateway } = await import('#adapters/sandbox-gateway/http');
    return new HttpSandboxGateway(urlOf(this, config), config.gatewayTimeout, installation, time);
  },
};

/** By their settings: the compiler demands an entry for each. */
const GATEWAYS: Readonly<Record<'embedded' | keyof GatewayUrls, GatewayEngine>> = { embedded, sandboxGatewayUrl };

export function gatewayOf(urls: GatewayUrls): GatewayEngine {
  return engineNamedBy(urls, GATEWAYS);
}
