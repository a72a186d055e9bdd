import { describe, expect, it } from '@jest/globals';
import { given } from '../../../test/support/given-when-then.js';
import { mailPreference } from './mail-preference.decider.js';
import type { MailPreferenceEvent } from './mail-preference.events.js';

const user = { user_id: 'u1', partner_id: 'acme' };
const declined = (declined_at: number): MailPreferenceEvent => ({
  type: 'batch-mails-declined.v1',
  data: { ...user, declined_at },
});

describe('H3: the batch mails of a user', () => {
  it('are wanted until the user declines them, once', () => {
    const command = { type: 'decline-batch-mails', user } as const;
    const first = given(mailPreference).when(command, 77);
    first.then([declined(77)]);
    expect(first.state).toEqual({ declined_at: 77 });
    given(mailPreference, [declined(7)])
      .when(command, 77)
      .then([]);
  });
});
