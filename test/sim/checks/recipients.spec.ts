import { describe, expect, it } from '@jest/globals';
import type { Act } from '../workload/history.js';
import { act, type MadeUpAnswer } from './made-up-acts.js';
import { madeUpLog } from './made-up-log.js';
import { checkRecipients } from './recipients.js';

const told = (method: 'POST' | 'PUT', path: string, body: object, answer: MadeUpAnswer): Act => {
  const one = act({ type: 'other' }, answer);
  return { ...one, request: { ...one.request, method, path, body } };
};
const subscribed = madeUpLog(['subscription-s', 'subscription-created.v1', { subscription_id: 's', user_id: 'ann' }]);
const registered = told('POST', '/users', { email: 'Ann@x.org' }, { status: 200, body: { user_id: 'ann' } });
const bought = told(
  'POST',
  '/purchases/full',
  { user: { email: 'buyer@x.org' } },
  {
    status: 200,
    body: { purchase: { user_id: 'ann' } },
  },
);
const found = told(
  'PUT',
  '/users/found%40x.org/update_by_email?overwrite_token=true',
  { last_name: 'Lee' },
  {
    status: 200,
    body: { user: { id: 'ann' } },
  },
);
const moved = told('PUT', '/users/ann', { email: 'moved@x.org' }, 'lost');

const check = (history: readonly Act[], messageId: string, to: string) => (): void =>
  checkRecipients(subscribed, history, [{ messageId, to, subject: '', text: '', at: 0 }]);

describe('the address of a mail', () => {
  it.each<[string, Act, string]>([
    ['a registration', registered, 'ann@x.org'],
    ['a purchase', bought, 'buyer@x.org'],
    ['an update by e-mail', found, 'found@x.org'],
    ['a change whose answer was lost', moved, 'moved@x.org'],
  ])('is known from %s', (_, one, to) => {
    for (const messageId of ['<b.ann@h>', '<confirmation.0.s@h>', '<daily.2030-01-07.s@h>']) {
      expect(check([one], messageId, to)).not.toThrow();
      expect(check([one], messageId, 'somebody.else@x.org')).toThrow('a mail goes to its user');
    }
  });

  it('may be any that the user has had', () => {
    expect(check([registered, moved], '<b.ann@h>', 'ann@x.org')).not.toThrow();
    expect(check([registered, moved], '<b.ann@h>', 'moved@x.org')).not.toThrow();
  });

  it('is not looked at if nobody saw the registration', () => {
    expect(check([registered], '<b.bob@h>', 'bob@x.org')).not.toThrow();
  });
});
