import { describe, expect, it } from '@jest/globals';
import type { Request } from '../world/installation.js';
import { ViewsData } from '../world/view-data.js';
import { LostEnd } from './lost-end.js';
import { madeUpLog } from './made-up-log.js';

/** How an installation behaves that loses the end of its log. */
interface Behaviour {
  /** Whether it says that something is missing. */
  readonly notices?: boolean;
  /** Whether it is well once the finding is accepted. */
  readonly accepts?: boolean;
  /** Whether it still decides while it says so. */
  readonly decides?: boolean;
  /** How many commands it carries out before it refuses them. */
  readonly commands?: number;
  /** A log that its views do not follow. */
  readonly events?: readonly object[];
}

/** Loses the end of the log of an installation that behaves so. */
function lose({
  notices = true,
  accepts = true,
  decides = false,
  commands = 2,
  events = [],
}: Behaviour): Promise<void> {
  const scheduler = {
    now: 0,
    sleep(milliseconds: number) {
      scheduler.now += milliseconds;
      return Promise.resolve();
    },
  };
  let lost = false;
  let accepted = false;
  let answered = 0;
  const api = {
    name: 'api',
    get isWell() {
      return lost && accepted && accepts;
    },
    get service() {
      const refused = lost && notices && !accepted;
      return { guard: { refused, findings: refused ? [{ code: 'log-lost' }] : [] } };
    },
    answer({ path }: Request) {
      const redeemed = this.service.guard.refused && !decides ? 503 : 404;
      const status = path === '/users' ? ((answered += 1) > commands ? 503 : 200) : redeemed;
      return Promise.resolve({ status, text: '' });
    },
    accept: (codes: ReadonlySet<string>) => (accepted = codes.has('log-lost')),
  };
  const installation = {
    apis: [api],
    processes: [api],
    log: { events },
    views: new ViewsData(),
    loseEnd: () => (lost = true),
    crash: () => undefined,
  };
  const world = { scheduler, random: { of: () => ({ one: () => [] }) } };
  const users = { values: [{ id: 'u', partner: { key: 'other' } }] };
  const workload = { known: { partners: [{ key: 'k' }], users } };
  const checks = { end: () => undefined };
  return new LostEnd(world as never, installation as never, workload as never, checks as never).check(() =>
    Promise.resolve(),
  );
}

describe('the end of a log that is lost', () => {
  it('is noticed, can be accepted, and then the service works', async () => {
    await expect(lose({})).resolves.toBeUndefined();
  });

  it.each<[string, Behaviour]>([
    ['a lost end of the log is noticed: after 60 s', { notices: false }],
    ['who refuses the log decides nothing: api: 404', { decides: true }],
    ['an accepted loss ends the refusal: after 600 s', { accepts: false }],
    ['a command is carried out at the end: POST /users', { commands: 0 }],
    ['a command is carried out at the end: POST /users', { commands: 1 }],
    [
      'views are of the log that was accepted: after 600 s',
      { events: madeUpLog(['region-lisbon', 'region-set.v1', { id: 'lisbon' }]) },
    ],
  ])('is a violation of this: %s', async (words, behaviour) => {
    await expect(lose(behaviour)).rejects.toThrow(words);
  });
});
