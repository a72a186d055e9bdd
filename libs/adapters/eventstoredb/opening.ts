import { thisMachine } from '#adapters/machine';
import { type Finding, LogUnusable, type RecordPlace, Unavailable } from '#eventsourcing';
import { leadOfServer, wrongClock } from '#ownership/clock';
import { isUnreached, isWithoutTls } from './answers.js';
import { connectionOf, hostsOf } from './connection-string.js';
import { createRecord, recordOf } from './identity.js';
import { NoLeader } from './leader.js';
import type { EventStoreDbOptions } from './options.js';
import { OwnStreams } from './own-streams.js';
import { reasonOf } from './reason.js';
import type { Server } from './server.js';
import { speaksTls } from './speaks-tls.js';
import { walk } from './walk.js';

const OPEN_WITHIN = 30_000;
const OPEN_PAUSE = 250;
/** After this time, in milliseconds, the log says what the opening waits for. */
const WAITS_LONG = 2_000;

/** A log on a server. */
export interface OpenedLog {
  readonly identity: string;
  readonly place: RecordPlace | undefined;
  /** See `OwnedLog.notBegun`. */
  readonly notBegun: Finding | undefined;
}

/**
 * Finds the log on a server, or creates it if it is not known and no event of it is there. If the clocks contradict each other,
 * it is not created: then its identity belongs to no log.
 * @throws Unavailable with a message for operators if the server does not answer; TypeError for a bad prefix; LogUnusable
 */
export async function logOn(server: Server, options: EventStoreDbOptions): Promise<OpenedLog> {
  const { prefix = '', identity, place, renews = false, machine = thisMachine } = options;
  if (prefix.includes('-') || prefix.startsWith('$') || !prefix.isWellFormed() || prefix.includes('\0')) {
    throw new TypeError(`the prefix of the streams must have no dash and not begin with $: ${JSON.stringify(prefix)}`);
  }
  const known = identity !== undefined && place !== undefined ? { identity, place } : undefined;
  const find = () => opened(options, () => recordOf(server, prefix, known));
  let found = await find();
  let notBegun: Finding | undefined;
  if (found === undefined && (identity === undefined || renews)) {
    if (await isEmpty(server, options)) {
      found = await opened(options, async () => {
        // The answer to an earlier try may have been lost.
        const there = await recordOf(server, prefix);
        if (there !== undefined) return there;
        notBegun = await contradictionOfClocks(server, prefix, machine);
        if (notBegun !== undefined) return undefined;
        await createRecord(server, prefix, machine);
        return recordOf(server, prefix);
      });
    } else {
      // Another process may have begun the log during the search.
      found = await find();
      if (found === undefined && identity === undefined) {
        throw new LogUnusable(
          'the server of EVENTSTORE_URL has events of an event log, but no record of it, which says whose it is: nothing is ' +
            'written to it. Start the installation that it belongs to, or name another EVENTSTORE_PREFIX',
        );
      }
    }
  }
  const ours = found?.identity ?? identity ?? (notBegun && machine.randomness.uuid());
  if (ours === undefined) throw new LogUnusable('the event log at EVENTSTORE_URL could not be created');
  return { identity: ours, place: found?.place ?? place, notBegun };
}

/** Whether there is a log, by its record or by any of its events; writes nothing. @throws Unavailable | LogUnusable */
export async function existsOn(server: Server, options: LogSearch): Promise<boolean> {
  const record = await opened(options, () => recordOf(server, options.prefix ?? ''));
  return record !== undefined || !(await isEmpty(server, options));
}

/** The same options for a server on a network: a setting that does not fit it is refused, not waited for. */
export function examined<Options extends Pick<EventStoreDbOptions, 'url'>>(
  options: Options,
): Options & Pick<EventStoreDbOptions, 'examine'> {
  const { hosts, tls } = connectionOf(options.url);
  let asked = false;
  const examine = async (error: unknown): Promise<void> => {
    const cause = error instanceof NoLeader ? error.cause : error;
    if (asked || tls !== false || !isUnreached(cause)) return;
    asked = true;
    const [first] = hosts;
    if (first === undefined || !(await speaksTls(first))) return;
    throw new TypeError('EVENTSTORE_URL has tls=false, but the server requires TLS: leave tls=false out');
  };
  return { ...options, examine };
}

/** Compares the clocks before anything is written to a server that has no log yet: nobody knows which one is wrong. */
async function contradictionOfClocks(
  server: Server,
  prefix: string,
  { time }: typeof thisMachine,
): Promise<Finding | undefined> {
  const connection = await server.appendConnection();
  const lead = await leadOfServer((instant) => connection.isPast(instant, `${prefix}holdfast`), time);
  return lead === undefined ? undefined : wrongClock(-lead, connection.server);
}

/** What a search for a log needs. */
export type LogSearch = Pick<
  EventStoreDbOptions,
  'url' | 'prefix' | 'categories' | 'machine' | 'onNotice' | 'search' | 'examine'
>;

/** Whether no event on the server shows a log with this prefix: a new identity is created only then. */
async function isEmpty(
  server: Pick<Server, 'subscribe' | 'readBack'>,
  { prefix = '', categories, machine = thisMachine, onNotice, search = {} }: LogSearch,
): Promise<boolean> {
  const ours = new OwnStreams(prefix, categories);
  const [last] = await server.readBack(undefined, 1, []);
  const shown = await walk(server, {
    names: categories === undefined && prefix === '' ? [] : ours.searchedPrefixes,
    after: search.emptyUpTo ?? 0n,
    see: (event) => ours.shows(event),
    progress: (position) =>
      onNotice?.(`searches the events of others for an event log: ${position} bytes of the server's log are searched`),
    time: machine.time,
  });
  if (shown === undefined && last !== undefined) search.emptyUpTo = last.position;
  return shown === undefined;
}

/** The server's answer. Waits until it answers. */
async function opened<T>(
  {
    url,
    openWithin = OPEN_WITHIN,
    onNotice,
    examine,
    machine: { time } = thisMachine,
  }: Pick<EventStoreDbOptions, 'url' | 'openWithin' | 'onNotice' | 'machine' | 'examine'>,
  ask: () => Promise<T>,
): Promise<T> {
  const began = time.monotonic();
  const server = `EventStoreDB at ${hostsOf(connectionOf(url))} (EVENTSTORE_URL)`;
  for (let reported = false; ;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof LogUnusable) throw error;
      if (isWithoutTls(error)) {
        throw new TypeError('EVENTSTORE_URL asks for TLS, which the server does not support: set tls=false');
      }
      await examine?.(error);
      const waited = time.monotonic() - began;
      if (waited > openWithin) throw new Unavailable(`${server} cannot be opened: ${reasonOf(error)}`);
      if (waited > WAITS_LONG && !reported) onNotice?.(`waiting for ${server}: ${reasonOf(error)}`);
      reported ||= waited > WAITS_LONG;
    }
    await time.pause(OPEN_PAUSE);
  }
}
