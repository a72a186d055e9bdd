import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { DAY, utcTime, type Recorded } from '#kernel';
import { at, timeOf } from '../../support/buying.js';
import { eventsOf } from '../../support/data-folder.js';
import { MailServer } from '../../support/mail-server.js';
import { parsed } from '../../support/parsed-mail.js';
import { RunningService } from '../../support/running-service.js';
import { workDone } from '../../support/work-done.js';
import { tell } from '../size.js';

const BATCHES = '/v1/targeted_email/batches';
/** Mails that a process has under way at a time: a kill may repeat so many. */
const UNDER_WAY = 10;
/** Seconds after which the mails of a dead sender are sent again. */
const TAKEOVER = 181;
/** Milliseconds for the next mails to arrive. */
const PATIENCE = 240_000;
const TOGETHER = 50;

export interface Campaign {
  readonly dataDir: string;
  readonly recipients: number;
  readonly kills: number;
  /** Milliseconds that the mail server takes for each mail. */
  readonly delay: number;
  /** Whether the server refuses one of the recipients for good. */
  readonly refusesOne: boolean;
  /** What else happens while mails are sent, between two kills. */
  readonly meanwhile?: (service: RunningService) => Promise<void>;
}

/** A batch that is sent, and its recipients: user ids by e-mail address. */
interface Sent {
  readonly id: string;
  readonly users: ReadonlyMap<string, string>;
}

/**
 * Kills a service so many times while it sends a batch, and checks from what the mail server took and from the log: every
 * recipient got exactly one mail or a recorded failure. Only mails that were under way at a kill may have come twice, under the
 * same Message-ID.
 * @returns how often two living senders took turns
 */
export async function sendThroughKills(campaign: Campaign): Promise<number> {
  const { dataDir, recipients, kills, delay, refusesOne, meanwhile } = campaign;
  const refused = refusesOne ? addressOf(Math.floor(recipients / 2)) : undefined;
  const server = await MailServer.start({
    onRcptTo: ({ address }, _, done) =>
      done(address === refused ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null),
  });
  server.behaviour.delay = delay;
  const env = { SMTP_URL: `smtp://127.0.0.1:${server.port}?tls=false`, MAIL_FROM: 'deals@example.com' };
  const start = (): Promise<RunningService> => RunningService.start({ dataDir, env });
  let service = await start();
  const { key } = await service.newPartner('acme');
  const sent = await schedule(service, key, recipients);
  for (let kill = 1; kill <= kills; kill += 1) {
    await taken(server, Math.floor((recipients * kill) / (kills + 1)));
    await meanwhile?.(service);
    await service.kill();
    service = await start();
  }
  const status = await ended(service, key, sent);
  await service.stop();
  await server.stop();

  expect(status).toBe(refusesOne ? 'failed' : 'processed');
  const events = (await eventsOf(dataDir)).filter(({ stream }) => stream === `batch-${sent.id}`);
  const twice = expectOneMailEach(sent, server, events, refused);
  expect(twice).toBeLessThanOrEqual(kills * UNDER_WAY);
  const turns = turnsOf(events);
  tell(
    'MAIL',
    `${recipients} recipients, ${kills} kills: ${status}; ${twice} mails came twice; senders took turns ${turns} times; ` +
      `${events.length} events`,
  );
  return turns;
}

/** How often a sender that had been followed by another one came again: each process has event ids of its own. */
function turnsOf(events: readonly Recorded[]): number {
  const senders = events.filter(({ type }) => type === 'delivery-attempted.v1').map(({ id }) => id.slice(0, 23));
  const changes = senders.filter((sender, index) => index > 0 && sender !== senders[index - 1]).length;
  return changes - (new Set(senders).size - 1);
}

function addressOf(number: number): string {
  return `reader-${number}@example.org`;
}

/** Creates the users and the batch, and moves time to its `send_at`. */
async function schedule(service: RunningService, key: string, recipients: number): Promise<Sent> {
  await service.newDeal('spa');
  const users = new Map<string, string>();
  while (users.size < recipients) {
    const some = Array.from({ length: Math.min(TOGETHER, recipients - users.size) }, (_, index) =>
      addressOf(users.size + index),
    );
    const ids = await Promise.all(some.map((address) => service.newUser(key, address)));
    some.forEach((address, index) => users.set(address, ids[index] ?? ''));
  }
  const noon = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY + DAY / 2;
  const body = { deal_id: 'spa', user_ids: [...users.values()], mode: 'suppress', send_at: utcTime(noon) };
  const answer = await service.ask('POST', BATCHES, { key, body });
  expect([answer.status, answer.body.batch?.user_ids.length]).toEqual([201, recipients]);
  await service.operate('PUT', '/clock', { now: at(noon) });
  return { id: answer.body.batch.id, users };
}

/** Waits until the server has taken so many mails. */
async function taken(server: MailServer, count: number): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  while (server.taken.length < count) {
    if (Date.now() > deadline) throw new Error(`only ${server.taken.length} of ${count} mails came`);
    await pause(5);
  }
}

/** Waits until the batch has ended, and moves time on to where the mails of dead senders are sent again. */
async function ended(service: RunningService, key: string, { id }: Sent): Promise<string> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    await workDone(service);
    const { status, body, text } = await service.look(`${BATCHES}/${id}?deal_id=spa`, key);
    if (status === 200 && body.batch.status !== 'pending') return body.batch.status;
    if (Date.now() > deadline) throw new Error(`the batch does not end: ${text}`);
    await service.forward(TAKEOVER);
  }
}

/** @returns how many mails came twice */
function expectOneMailEach(
  { id, users }: Sent,
  server: MailServer,
  events: readonly Recorded[],
  refused: string | undefined,
): number {
  const mails = new Map<string, string[]>();
  for (const { to, raw } of server.taken) {
    const [messageId = ''] = parsed(raw).headers['message-id'] ?? [];
    mails.set(to, [...(mails.get(to) ?? []), messageId]);
  }
  const attempts = countOf(events, 'delivery-attempted.v1');
  const made = countOf(events, 'delivery-made.v1');
  const failed = countOf(events, 'delivery-failed.v1');
  let twice = 0;
  for (const [address, user] of users) {
    const ids = mails.get(address) ?? [];
    const got = {
      address,
      mails: ids.length > 0,
      ids: [...new Set(ids)],
      made: made.get(user),
      failed: failed.get(user),
    };
    expect(got).toEqual(
      address === refused
        ? { address, mails: false, ids: [], made: undefined, failed: 1 }
        : { address, mails: true, ids: [`<${id}.${user}@127.0.0.1>`], made: 1, failed: undefined },
    );
    // Each mail was announced in the log before it was handed over.
    expect([address, ids.length <= (attempts.get(user) ?? 0)]).toEqual([address, true]);
    twice += Math.max(ids.length - 1, 0);
  }
  expect([...mails.keys()].filter((address) => !users.has(address))).toEqual([]);
  return twice;
}

/** How many events of a type each recipient has. */
function countOf(events: readonly Recorded[], type: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    if (event.type !== type) continue;
    const { user_id } = event.data as { user_id: string };
    counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
  }
  return counts;
}
