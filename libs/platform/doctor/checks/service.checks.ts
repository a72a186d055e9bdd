import { isoTime } from '#kernel';
import { BUILD } from '../../build.js';
import type { Looks } from '../looks.js';
import type { Details } from '../service-look.js';
import { look, ok, type Result, together, wrong } from '../verdict.js';
import { someOf, timeInWords } from '../words.js';

/** A view may be behind by as many events as this, and the service is ready all the same. */
const MOST_LAG = 10_000;
/** A pass of the self-audit that has not ended for so long is late, in milliseconds: it does some 50 million events in a day. */
const AUDIT_LATE = 3 * 24 * 60 * 60 * 1_000;
const NO_SERVICE = 'no service answers';

/** Whether a service answers, and whether it is ready. */
export async function checkService(looks: Looks): Promise<Result> {
  const { asked, settings, folder } = looks;
  let found;
  try {
    found = await looks.service;
  } catch (error) {
    const why = whyOf(error);
    const isStarting =
      settings.config.role === 'all' &&
      (await folder.files.then(
        ({ inUse, isRestoring }) => inUse && !isRestoring,
        () => false,
      ));
    if (isStarting)
      return wrong(
        `a process has the folder, and nobody answers at ${asked.shown} (${why})`,
        'It starts, hangs, or listens elsewhere: read its log (journalctl -u holdfast), and name its address with --url.',
      );
    const start = settings.config.role === 'all' ? 'Start it' : 'Start an API';
    return look(`${NO_SERVICE} at ${asked.shown} (${why})`, `${start} if it should run: systemctl start holdfast.`);
  }
  const { ready, details, noDetails } = found;
  if (ready === undefined)
    return wrong(`what answers at ${asked.shown} is no Holdfast`, 'Name the address of the service with --url.');
  const hints = details === undefined ? [look(`no details: ${noDetails}`, 'Name the token with --token-file.')] : [];
  if (ready) return together([ok(`${asked.shown} is ready`), ...hints]);
  const why = details === undefined ? [] : hindrances(details);
  return together([
    wrong(
      [`${asked.shown} is not ready`, ...why].join(': '),
      details?.initialized === false
        ? 'It is starting. If that takes minutes, its log says what the start waits for.'
        : 'The other checks say why; docs/operating.md has what recovers by itself.',
    ),
    ...hints,
  ]);
}

function hindrances({ initialized, log, stuck }: Details): readonly string[] {
  const found = [
    ...(initialized ? [] : ['it is starting']),
    ...(log.error === null ? [] : [`the event log: ${log.error}`]),
    ...(stuck === null ? ['the work lists do not answer'] : []),
  ];
  return found.length === 0 ? [] : [found.join(', ')];
}

/** The builds of this command and of the service, and the Node that runs. */
export async function checkVersions({ service }: Looks): Promise<Result> {
  const { version, commit } = BUILD;
  const own = `Holdfast ${version} (${commit}), Node ${process.versions.node}, SQLite ${process.versions['sqlite']}`;
  const details = await service.then(
    (found) => found.details,
    () => undefined,
  );
  if (details === undefined || (details.version === version && details.commit === commit)) return ok(own);
  return look(
    `${own}; the service is ${details.version} (${details.commit})`,
    'The service and this command are different builds: restart the service to run this one, or use the command of its folder.',
  );
}

/** Facts that show that the log is not whole or not ours. */
export async function checkFindings({ service, folder, settings }: Looks): Promise<Result> {
  const details = await detailsOf(service);
  if (details === undefined) {
    if (settings.config.role !== 'all')
      return look(`${NO_SERVICE}, and only a service compares log and keys on servers`, ASK);
    const { codes, inUse, refusal } = await folder.files;
    if (inUse) return look('only the service knows, and it gives no details', ASK);
    return codes.length === 0 && refusal === undefined
      ? ok('none that a start would find')
      : wrong(
          `a start would find ${codes.length === 0 ? 'faults' : codes.join(', ')}`,
          'The check “files” says what to do.',
        );
  }
  const { findings, more_findings } = details;
  if (findings.length === 0) return ok('none');
  const more = more_findings === 0 ? [] : [wrong(`and ${more_findings} more`, 'The log of the service has all.')];
  return together([
    ...findings.map(({ code, message }) =>
      wrong(`${code}: ${message}`, `docs/ownership.md says what to do; the code is ${code}.`),
    ),
    ...more,
  ]);
}

const ASK = 'Run this command again when the service answers, with a token that it knows (--token-file).';

/** What the self-audit says of the log. */
export async function checkAudit({ service, folder, settings, now }: Looks): Promise<Result> {
  const details = await detailsOf(service);
  if (details === undefined) {
    const kept = settings.config.role === 'all' ? await folder.kept : undefined;
    const last = kept?.audit?.last;
    if (last === undefined) return ok(`no pass is noted; ${NO_SERVICE}`);
    const faults = kept?.audit?.faults.length ?? 0;
    const facts = `the last pass ended ${isoTime(last.at)} (${timeInWords(Math.max(0, now - last.at))} ago), ${last.events} events`;
    return faults === 0 ? ok(facts) : wrong(`${facts}, ${faults} findings`, VERIFY);
  }
  const { audit } = details;
  if (audit === null) return look('the service does not audit its log', 'Unset SELF_AUDIT.');
  const facts =
    audit.last_ended === null
      ? 'no pass has ended yet'
      : `the last pass ended ${audit.last_ended} (${timeInWords((audit.age ?? 0) * 1_000)} ago), ${audit.events} events`;
  const count = audit.findings.length + audit.more_findings;
  if (count > 0)
    return wrong(
      `${facts}, ${count} findings: ${someOf(audit.findings.map(({ code, where }) => `${code} (${where ?? 'the log'})`))}`,
      VERIFY,
    );
  return (audit.age ?? 0) * 1_000 > AUDIT_LATE
    ? look(
        facts,
        'A pass takes a twentieth of a processor. If the log is small, look for its errors in the log of the service.',
      )
    : ok(facts);
}

const VERIFY = 'Run holdfast verify, which says for each finding what it means; docs/ownership.md says what to do.';

/** How far the views are behind the log. */
export async function checkViews({ service, folder, mongo, settings }: Looks): Promise<Result> {
  const details = await detailsOf(service);
  if (details !== undefined) {
    if (details.views.length === 0) return wrong('nobody builds views', 'Is a worker running? Its log says why not.');
    const lags = details.views.map(({ lag }) => lag ?? 0);
    const facts = `${details.views.length} views, at most ${Math.max(...lags)} events behind position ${details.log.head}`;
    const stopped = details.views.filter(({ state }) => state !== 'live');
    const late = details.views.filter(({ lag }) => (lag ?? 0) > MOST_LAG);
    return together([
      ok(facts),
      ...stopped.map(({ view, state, error }) =>
        wrong(
          `${view}: ${state}${error === null ? '' : `, ${error}`}`,
          state === 'stopped'
            ? `holdfast projections resume ${view} tries the event again, and projections skip leaves it out; docs/operating.md, “Rebuilding projections”.`
            : 'Is a worker running, and does it reach the servers?',
        ),
      ),
      ...(late.length === 0
        ? []
        : [
            look(
              `${someOf(late.map(({ view }) => view))} are far behind`,
              'They catch up by themselves, if the machine has time for it.',
            ),
          ]),
    ]);
  }
  if (settings.config.role !== 'all' && mongo !== undefined) {
    const { views } = await mongo;
    const built = views.filter(({ generation }) => generation !== null).length;
    return built === 0
      ? ok('none is built yet: a worker builds them')
      : ok(`${built} of ${views.length} are built; ${NO_SERVICE}`);
  }
  const kept = await folder.kept;
  if (kept === undefined) return look('only the service knows, and it gives no details', ASK);
  const faults = kept.views.filter(({ fault }) => fault !== undefined);
  const built = kept.views.filter(({ lag }) => lag !== null);
  const most = Math.max(0, ...built.map(({ lag }) => lag ?? 0));
  return together([
    ok(`${built.length} are built, at most ${most} events behind; a start brings them up to date`),
    ...faults.map(({ view, fault }) => look(`${view}: ${fault}`, 'A start builds it again.')),
  ]);
}

/** Work that is due, and work that keeps failing. */
export async function checkWork({ service, folder, settings, now }: Looks): Promise<Result> {
  const details = await detailsOf(service);
  if (details !== undefined) {
    const { stuck, queue } = details;
    const away =
      queue.state === 'degraded'
        ? [wrong(queue.error ?? 'Redis is away', 'Start Redis; due work goes on by itself.')]
        : [];
    if (stuck === null)
      return together([wrong('the work lists do not answer', 'The checks of views and servers say why.'), ...away]);
    const facts = stuck === 0 ? 'none is stuck' : `${stuck} pieces of work were tried ten times or more`;
    return together([
      stuck === 0
        ? ok(facts)
        : wrong(
            facts,
            'The log of the service says why (“the work of a work list has failed”); with Redis, /operators/queues shows them.',
          ),
      ...away,
    ]);
  }
  if (settings.config.role !== 'all') return look(NO_SERVICE, ASK);
  const kept = await folder.kept;
  if (kept === undefined) return look('only the service knows, and it gives no details', ASK);
  const due = kept.views.flatMap(({ view, due: rows }) =>
    rows === null || rows.rows === 0 ? [] : [{ view, ...rows }],
  );
  if (due.length === 0) return ok('none is due');
  const oldest = Math.min(...due.map(({ since }) => since ?? now));
  return ok(
    `due: ${due.map(({ view, rows }) => `${rows} of ${view}`).join(', ')}; the oldest for ${timeInWords(Math.max(0, now - oldest))}. A service does it when it runs`,
  );
}

/** The details of the service; undefined if it does not answer, or tells none. */
const detailsOf = (service: Looks['service']): Promise<Details | undefined> =>
  service.then(
    ({ details }) => details,
    () => undefined,
  );

/** Why nobody answered: the system's code, or the words. */
function whyOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string };
  return typeof code === 'string' ? code : (message ?? String(error));
}
