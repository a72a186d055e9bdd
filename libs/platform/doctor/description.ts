import { arch, availableParallelism, freemem, release, totalmem, type as systemType } from 'node:os';
import type { Machine } from '#eventsourcing';
import { FORMAT } from '#eventsourcing';
import { isoTime } from '#kernel';
import { BUILD } from '../build.js';
import type { Environment } from '../environment.js';
import { beginLooks, ENTRIES, type LookOptions, type Looks } from './looks.js';
import { shownValue } from './without-secrets.js';

/** What is known of a part of the installation; null if it could not be looked at. */
type Known<T> = Promise<T | null>;

/**
 * Describes an installation for a request for help (ruling G8.3): nothing in it is a secret, or known of a person. So it has no text
 * of an error, of a stream or of a row, and no path; codes, counts, names of ours and versions are enough to ask further.
 */
export async function describeInstallation(
  environment: Environment,
  options: LookOptions,
  machine: Machine,
): Promise<object> {
  const ended = new AbortController();
  const looks = beginLooks(environment, options, machine, ended.signal);
  try {
    const [service, engines, files, log, views, work, findings, audit] = await Promise.all([
      serviceOf(looks),
      enginesOf(looks),
      filesOf(looks),
      logOf(looks),
      viewsOf(looks),
      workOf(looks),
      findingsOf(looks),
      auditOf(looks),
    ]);
    return {
      at: isoTime(looks.now),
      holdfast: BUILD,
      node: {
        version: process.versions.node,
        sqlite: process.versions['sqlite'] ?? null,
        openssl: process.versions.openssl,
      },
      platform: {
        system: systemType(),
        release: release(),
        arch: arch(),
        processors: availableParallelism(),
        memory_bytes: totalmem(),
        free_memory_bytes: freemem(),
      },
      role: looks.settings.config.role,
      settings: settingsOf(looks),
      engines,
      formats: {
        build: FORMAT,
        folder: files?.format ?? null,
        mongodb: (await known(looks.mongo))?.entries[ENTRIES.format] ?? null,
      },
      service,
      log,
      views,
      work,
      findings,
      audit,
      files: files?.sizes ?? null,
      disk: await known(looks.folder.room),
    };
  } finally {
    ended.abort();
  }
}

const known = <T>(look: Promise<T> | undefined): Known<T> =>
  look === undefined ? Promise.resolve(null) : look.catch(() => null);

/** The names of the settings that are set, and the values of harmless ones. */
function settingsOf({ settings, environment }: Looks): object {
  return {
    set: Object.fromEntries(settings.set.map((name) => [name, shownValue(name, environment[name] ?? '')])),
    // Only the names: what is wrong with a value may depend on it.
    wrong: settings.wrong.map((words) => words.split(' ')[0]),
  };
}

async function serviceOf({ service, asked }: Looks): Promise<object> {
  const url = asked.shown;
  const found = await known(service);
  if (found === null) return { url, answers: false };
  const { ready = null, details } = found;
  if (details === undefined) return { url, answers: true, ready };
  const { version, commit, initialized, log, queue } = details;
  return {
    url,
    answers: true,
    ready,
    version,
    commit,
    initialized,
    log: log.state,
    work_waits_in: queue.in,
    work: queue.state,
  };
}

/** The engines of the settings, and what their servers say of themselves. */
async function enginesOf({ settings, log, mongo, redis, gateway, mail }: Looks): Promise<object> {
  const { eventStoreUrl, mongoUrl, redisUrl, sandboxGatewayUrl, smtp } = settings.config;
  const [logServer, mongoServer, redisServer, gatewayAnswer, mailTrouble] = await Promise.all([
    known(log),
    known(mongo),
    known(redis),
    known(gateway),
    known(mail?.then((trouble) => trouble === undefined)),
  ]);
  return {
    log:
      eventStoreUrl === undefined
        ? { engine: 'embedded' }
        : { engine: 'EventStoreDB', answers: logServer !== null, version: logServer?.version ?? null },
    state:
      mongoUrl === undefined
        ? { engine: 'embedded' }
        : {
            engine: 'MongoDB',
            answers: mongoServer !== null,
            version: mongoServer?.version ?? null,
            writable: mongoServer?.writable ?? null,
          },
    timers:
      redisUrl === undefined
        ? { engine: 'embedded' }
        : {
            engine: 'Redis',
            answers: redisServer !== null,
            version: redisServer?.version ?? null,
            maxmemory_policy: redisServer?.policy ?? null,
          },
    gateway:
      sandboxGatewayUrl === undefined ? { engine: 'embedded' } : { engine: 'sandbox', answers: gatewayAnswer !== null },
    mail: smtp === undefined ? { engine: 'outbox' } : { engine: 'SMTP', answers: mailTrouble === true },
  };
}

const filesOf = ({ folder }: Looks) => known(folder.files);

/** The end of the log. In the folder, a position counts the events. */
async function logOf({ service, folder, log, settings }: Looks): Promise<object> {
  const [told, kept, server] = await Promise.all([known(service), known(folder.kept), known(log)]);
  const head = told?.details?.log.head ?? kept?.log?.head ?? server?.last?.position.toString() ?? null;
  const dense = settings.config.eventStoreUrl === undefined;
  return {
    head,
    events: dense && head !== null ? Number(head) : null,
    events_of_others: told?.details?.log.events_of_others ?? null,
  };
}

/** The live generations, from the service, the folder or MongoDB. No error of one: its text may name a row. */
async function viewsOf({ service, folder, mongo }: Looks): Promise<readonly object[]> {
  const told = (await known(service))?.projections ?? [];
  if (told.length > 0)
    return told.map(({ view, generation, state, position, lag_events: lag }) => ({
      view,
      generation,
      state,
      position,
      lag,
    }));
  const kept = (await known(folder.kept))?.views ?? [];
  if (kept.length > 0)
    return kept.map(({ view, generation, position, lag, fault }) => ({
      view,
      generation,
      state: fault === undefined ? 'kept' : 'faulty',
      position,
      lag,
    }));
  const built = (await known(mongo))?.views ?? [];
  return built.map(({ view, generation, position }) => ({
    view,
    generation,
    state: 'kept',
    position: position?.toString() ?? null,
    lag: null,
  }));
}

/** The work that is due, by list, where no service does it; and how much keeps failing, where one does. */
async function workOf({ service, folder }: Looks): Promise<object> {
  const [told, kept] = await Promise.all([known(service), known(folder.kept)]);
  const due = (kept?.views ?? []).flatMap(({ view, due: rows }) => (rows === null ? [] : [[view, rows.rows] as const]));
  return {
    stuck: told?.details?.stuck ?? null,
    due: kept === null || kept === undefined ? null : Object.fromEntries(due),
  };
}

/** The codes of findings: their words may name a stream. */
async function findingsOf({ service, folder }: Looks): Promise<object> {
  const [told, files] = await Promise.all([known(service), known(folder.files)]);
  const details = told?.details;
  return details === undefined
    ? { codes: files?.codes ?? [], more: 0, start_refused: files === null ? null : files.refusal !== undefined }
    : { codes: details.findings.map(({ code }) => code), more: details.more_findings, start_refused: null };
}

async function auditOf({ service, folder }: Looks): Promise<object | null> {
  const [told, kept] = await Promise.all([known(service), known(folder.kept)]);
  const audit = told?.details?.audit;
  if (audit !== undefined && audit !== null) {
    const { last_ended, events, findings, more_findings } = audit;
    return { last_ended, events, findings: findings.map(({ code }) => code), more_findings };
  }
  const notes = kept?.audit;
  if (notes?.last === undefined) return null;
  const { at, events } = notes.last;
  return { last_ended: isoTime(at), events, findings: notes.faults.map(({ kind }) => kind), more_findings: 0 };
}
