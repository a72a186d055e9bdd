import type { Instant } from '#kernel';
import type { Looks } from '../looks.js';
import { look, ok, type Result, wrong } from '../verdict.js';

/** What the service itself bears, in milliseconds: beyond that it decides nothing. */
const MOST_APART = 10_000;
/** From here on somebody should look, in milliseconds. */
const APART = 3_000;

/** Another clock, and how far it is ahead of this machine's, in milliseconds. */
interface Clock {
  readonly of: string;
  readonly ahead: number;
}

/** Compares this machine's clock with those of the servers, and with the last event. */
export async function checkClocks(looks: Looks): Promise<Result> {
  const { settings, now } = looks;
  const found = await Promise.all([service(looks), mongo(looks), redis(looks), lastEvent(looks)]);
  const clocks = found.filter((clock) => clock !== undefined);
  const time = new Date(now).toISOString();
  if (settings.config.testTime !== undefined) return ok('TEST_TIME: clocks are not compared');
  if (clocks.length === 0) return ok(`${time}; there is no other clock to compare it with`);
  const facts = `${time}; ${clocks.map(({ of, ahead }) => `${of} ${seconds(ahead)}`).join(', ')}`;
  const most = Math.max(...clocks.map(({ ahead }) => Math.abs(ahead)));
  const todo =
    'Correct the clock that is wrong (timedatectl; chrony or systemd-timesyncd): beyond 10 s, Holdfast decides nothing.';
  if (most > MOST_APART) return wrong(facts, todo);
  return most > APART ? look(facts, todo) : ok(facts);
}

const seconds = (ahead: number): string => `${ahead < 0 ? '−' : '+'}${(Math.abs(ahead) / 1_000).toFixed(1)} s`;

const unless = <T>(look: Promise<T> | undefined): Promise<T | undefined> =>
  look === undefined ? Promise.resolve(undefined) : look.catch(() => undefined);

async function service(looks: Looks): Promise<Clock | undefined> {
  const clock = (await unless(looks.service))?.clock;
  // HTTP names whole seconds: half of one is the best guess.
  return clock === undefined ? undefined : apart('the service', clock.its + 500, clock.ours);
}

async function mongo(looks: Looks): Promise<Clock | undefined> {
  const found = await unless(looks.mongo);
  return found === undefined ? undefined : apart('MongoDB', found.clock, found.at);
}

async function redis(looks: Looks): Promise<Clock | undefined> {
  const found = await unless(looks.redis);
  return found === undefined ? undefined : apart('Redis', found.clock, found.at);
}

/** The last event counts only if it is ahead: nothing says when the next one should come. The test clock may be ahead. */
async function lastEvent({ log, folder, settings, now }: Looks): Promise<Clock | undefined> {
  const server = await unless(log);
  const kept = settings.config.testClock ? undefined : await unless(folder.kept);
  const at = server?.last?.created ?? kept?.log?.lastAt;
  return at === undefined || at <= now ? undefined : { of: 'the last event', ahead: at - now };
}

const apart = (of: string, its: Instant, ours: Instant): Clock => ({ of, ahead: its - ours });
