import { AnswerSeal, type EventLogReader, type KeyValueStore, type Keyring, type Machine } from '#eventsourcing';
import { parsedJson, streamName } from '#kernel';
import { keptLedger } from '#ownership';
import { GatewayOutcomeUnknown, isKnownToLog } from '#purchasing';
import { purchase, reservation } from '#purchasing/model';
import type { Config } from '../config.js';
import { gatewayOf } from '../engines/gateways.js';

/** The most sales of each kind that are named. */
const MOST = 10_000;

/** Sales that somebody may know and a restored log does not. */
export interface UnknownSales {
  /** Purchases in answers that were given, and are dropped: partners know them. */
  readonly ofPartners: readonly string[];
  /** What the gateway has done without the log's knowledge. Undefined: it cannot be asked from here. */
  readonly ofGateway: readonly string[] | undefined;
  /** The code that accepts this at a start; undefined if there is nothing to accept. */
  readonly accept: string | undefined;
}

/** What a restored log is compared with. */
export interface Restored {
  readonly log: EventLogReader;
  readonly keyring: Keyring;
  /** What is kept beside the log. */
  readonly keyValues: KeyValueStore;
  /** Kept answers that are younger than the log. */
  readonly young: readonly { readonly sealed: string; readonly key: number }[];
  readonly installation: string;
}

/** Looks for sales that a restored log does not know. */
export async function unknownSales(config: Config, restored: Restored, machine: Machine): Promise<UnknownSales> {
  return { ofPartners: await knownToPartners(restored), ...(await knownToGateway(config, restored, machine)) };
}

async function knownToPartners({ log, keyring, young }: Restored): Promise<readonly string[]> {
  const seal = new AnswerSeal(keyring);
  const named = new Set<string>();
  for (const { sealed, key } of young) {
    const answer = parsedJson(seal.open({ key, bytes: Buffer.from(sealed, 'base64') }).toString()) as
      | { readonly body?: unknown }
      | undefined;
    const body = String(answer?.body);
    const [, id] = /"purchase_id":"([0-9a-f]{32})"/.exec(body) ?? [];
    if (id === undefined || named.size >= MOST || named.has(id)) continue;
    if (!(await isInLog(log, id, body.includes('"fulfillment_state":"fulfilled"')))) named.add(id);
  }
  return [...named];
}

/** Whether the log has a sale; a hold that is not sold has only its reservation. */
async function isInLog(log: EventLogReader, id: string, isSold: boolean): Promise<boolean> {
  for (const { category } of isSold ? [purchase] : [purchase, reservation])
    if ((await log.readStream(streamName(category, id), 0, 1)).length > 0) return true;
  return false;
}

/** Asks a gateway in another process. One in the data folder has no more than the backup. */
async function knownToGateway(
  config: Config,
  { log, keyValues, installation }: Restored,
  { time }: Machine,
): Promise<Pick<UnknownSales, 'ofGateway' | 'accept'>> {
  const unasked = { ofGateway: undefined, accept: undefined };
  const engine = gatewayOf(config);
  if (engine.inFolder) return { ofGateway: [], accept: undefined };
  const clock = { now: () => time.wall() };
  const gateway = await engine.open(config, { clock, installation, time });
  const { ledger } = gateway;
  if (ledger === undefined) {
    await gateway.close();
    return unasked;
  }
  const kept = keptLedger(ledger, {
    keyValues,
    isKnown: (entry) => isKnownToLog(log, entry),
    mayWrite: () => false,
    time,
  });
  try {
    const { known, there } = await kept.marks.look();
    const unknown = known && (await kept.lines.unknown(known, there, () => Promise.resolve()));
    const names: string[] = [];
    for await (const part of unknown?.named() ?? []) names.push(...part.slice(0, MOST - names.length));
    return known === undefined ? unasked : { ofGateway: names, accept: unknown?.finding.code };
  } catch (error) {
    if (error instanceof GatewayOutcomeUnknown) return unasked;
    throw error;
  } finally {
    await kept.marks.close();
    await gateway.close();
  }
}
