import { beforeEach, describe, expect, it } from '@jest/globals';
import { HandOver, type MailNotes } from './hand-over.js';
import type { Mail, MailOutcome } from './mail/index.js';
import { HELD_UP } from './tries.rules.js';

const MAIL: Mail = { messageId: '<a@test>', to: 'ann@test', subject: '', html: '', text: '', unsubscribe: null };
const T = 1_000_000;

describe('F4: the hand-over of a mail', () => {
  /** The steps, in order. */
  let steps: unknown[];
  let now: number;
  let outcome: MailOutcome;
  let during: () => void;
  let handOver: HandOver;

  beforeEach(() => {
    [steps, now, outcome, during] = [[], T, { kind: 'sent' }, () => undefined];
    const mailer = {
      async send({ to }: Mail) {
        steps.push(['send', to]);
        during();
        return outcome;
      },
    };
    handOver = new HandOver({ now: () => now }, mailer);
  });

  const notes = (more: Partial<MailNotes<string>> = {}): MailNotes<string> => ({
    skip: async (reason) => void steps.push(['skip', reason]),
    async take() {
      steps.push('take');
      return { attempt: 2, attempted_at: T };
    },
    note: async (attempt, { kind }) => void steps.push(['note', attempt, kind]),
    ...more,
  });

  it('takes the mail, sends it and notes the outcome of this attempt', async () => {
    await handOver.run(MAIL, notes());
    expect(steps).toEqual(['take', ['send', 'ann@test'], ['note', 2, 'sent']]);
  });

  it('notes why there is none', async () => {
    await handOver.run('hidden', notes());
    expect(steps).toEqual([['skip', 'hidden']]);
  });

  it('leaves a mail that another sender has', async () => {
    await handOver.run(MAIL, notes({ take: async () => undefined }));
    expect(steps).toEqual([]);
  });

  it.each([
    [HELD_UP, true],
    [HELD_UP + 1, false],
  ])('sends a mail after it was held up for %i ms since it took it: %s', async (ms, isSent) => {
    now = T + ms;
    await handOver.run(MAIL, notes());
    expect(steps.length > 1).toBe(isSent);
  });

  it('begins none after a stop', async () => {
    handOver.stop();
    await handOver.run(MAIL, notes());
    expect([handOver.isStopping, steps]).toEqual([true, []]);
  });

  it.each([
    ['sent', true],
    ['refused', true],
    ['delayed', false],
    ['unknown', false],
  ] as const)('notes the outcome %s of a mail that a stop met under way: %s', async (kind, isNoted) => {
    outcome = kind === 'sent' ? { kind } : { kind, reason: 'a reason' };
    during = () => handOver.stop();
    await handOver.run(MAIL, notes());
    expect(steps.slice(2)).toEqual(isNoted ? [['note', 2, kind]] : []);
  });

  it('notes delayed and unknown ones while nothing stops', async () => {
    outcome = { kind: 'unknown', reason: 'a reason' };
    await handOver.run(MAIL, notes());
    expect(steps.at(-1)).toEqual(['note', 2, 'unknown']);
  });
});
