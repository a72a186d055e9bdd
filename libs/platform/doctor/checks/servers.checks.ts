import { FORMAT } from '#eventsourcing';
import { hostsOf } from '../../log/log-waits.js';
import { ENTRIES, type Looks } from '../looks.js';
import { look, ok, type Result, wrong } from '../verdict.js';
import { bytesInWords, timeInWords } from '../words.js';

/** The oldest EventStoreDB that is supported, as year and month. */
const OLDEST_EVENTSTORE: readonly [number, number] = [23, 10];

/** The server of the log, or its file. */
export async function checkLog({ log, settings, folder, now }: Looks): Promise<Result> {
  const { eventStoreUrl, eventStorePrefix } = settings.config;
  if (log === undefined || eventStoreUrl === undefined) {
    const { log: kept } = (await folder.kept.catch(() => undefined)) ?? {};
    if (kept === undefined) return ok('in the data folder');
    const { head, lastAt } = kept;
    return ok(`in the data folder, ${head} events${lastAt === undefined ? '' : `, the last ${ago(now, lastAt)}`}`);
  }
  const at = hostsOf(eventStoreUrl);
  try {
    const { version, last } = await log;
    const facts = `EventStoreDB ${version ?? '(it does not say its version)'} at ${at}, ${last === undefined ? `no event with the prefix ${eventStorePrefix}` : `the last event ${ago(now, last.created)}`}`;
    return version !== undefined && isOlder(version)
      ? wrong(facts, `Use EventStoreDB ${OLDEST_EVENTSTORE.join('.')} or later, or KurrentDB.`)
      : ok(facts);
  } catch (error) {
    return wrong(
      `EventStoreDB at ${at} does not answer: ${wordsOf(error)}`,
      'Start it, or correct EVENTSTORE_URL; nothing is sold without it. docs/growing.md has the rights that its user needs.',
    );
  }
}

function isOlder(version: string): boolean {
  const [year = 0, month = 0] = version.split('.').map(Number);
  const [oldestYear, oldestMonth] = OLDEST_EVENTSTORE;
  return year < oldestYear || (year === oldestYear && month < oldestMonth);
}

/** The server of keys and views, or their files. */
export async function checkMongoDb({ mongo, settings }: Looks): Promise<Result> {
  const { mongoUrl } = settings.config;
  if (mongo === undefined || mongoUrl === undefined) return ok('keys and views are in the data folder');
  const at = hostsOf(mongoUrl);
  try {
    const { version, writable, entries } = await mongo;
    const format = entries[ENTRIES.format];
    const facts = `MongoDB ${version} at ${at}, ${format === undefined ? 'no key store yet' : `format ${format}`}`;
    if (!writable) return wrong(`${facts}; it takes no writes`, 'It has no primary: look at rs.status() there.');
    if (format !== undefined && format !== FORMAT)
      return wrong(
        `${facts}; this build knows only ${FORMAT}`,
        'Start the build that wrote it, or name another database in MONGODB_URL: docs/upgrading.md.',
      );
    return ok(facts);
  } catch (error) {
    return wrong(
      `MongoDB at ${at} does not answer: ${wordsOf(error)}`,
      'Start it, or correct MONGODB_URL; without it, views stand still, and only people whose keys are in memory can buy.',
    );
  }
}

/** The server of the jobs of due work. */
export async function checkRedis({ redis, settings }: Looks): Promise<Result> {
  const { redisUrl } = settings.config;
  if (redis === undefined || redisUrl === undefined) return ok('not used: REDIS_URL is not set');
  const at = hostsOf(redisUrl);
  try {
    const { version, policy, most, used } = await redis;
    const facts = `Redis ${version} at ${at}, ${bytesInWords(used)} used${most === 0 ? '' : ` of ${bytesInWords(most)}`}, maxmemory-policy ${policy ?? 'unknown'}`;
    return policy === undefined || policy === 'noeviction'
      ? ok(facts)
      : look(
          facts,
          'Run CONFIG SET maxmemory-policy noeviction there, and set it in redis.conf: with another one, Redis may drop jobs, and due work is late.',
        );
  } catch (error) {
    return wrong(
      `Redis at ${at} does not answer: ${wordsOf(error)}`,
      'Start it, or correct REDIS_URL. Sales go on, and work that is due waits.',
    );
  }
}

/** The payment gateway, if it is another process. */
export async function checkGateway({ gateway, settings }: Looks): Promise<Result> {
  const url = settings.config.sandboxGatewayUrl;
  if (gateway === undefined || url === undefined) return ok('the sandbox gateway runs in the service');
  const at = hostsOf(url);
  try {
    await gateway;
    return ok(`the sandbox gateway answers at ${at}`);
  } catch (error) {
    return wrong(
      `the sandbox gateway does not answer at ${at}: ${codeOf(error)}`,
      'Start it (npm run sandbox-gateway), or correct SANDBOX_GATEWAY_URL; sales with a card wait for it.',
    );
  }
}

/** The mail server. No mail is sent. */
export async function checkMailServer({ mail, settings }: Looks): Promise<Result> {
  const { smtp } = settings.config;
  if (mail === undefined || smtp === undefined) return ok('not used: mails are files in the outbox');
  try {
    const trouble = await mail;
    const login = smtp.login === undefined ? '' : ', and accepts the login';
    return trouble === undefined
      ? ok(`${smtp.host}:${smtp.port} answers${login}`)
      : wrong(trouble, 'Correct SMTP_URL, or the server; mails wait meanwhile.');
  } catch (error) {
    return wrong(
      `${smtp.host}:${smtp.port}: ${wordsOf(error)}`,
      'Correct SMTP_URL, or the server; mails wait meanwhile.',
    );
  }
}

const ago = (now: number, then: number): string =>
  then > now ? `${timeInWords(then - now)} ahead of this clock` : `${timeInWords(now - then)} ago`;

/** The words of an error. Those of the adapters name no user and no password. */
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The code of an error of `fetch`, whose words may repeat the whole URL. */
function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'no answer';
}
