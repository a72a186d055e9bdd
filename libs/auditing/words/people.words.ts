import { isoTime } from '#kernel';
import type { AccessTokenEvent, AddressEvent, EmailEvent, UserEvent, WalletEvent } from '#people/model';
import { defineWords } from './phrase.js';
import { counted, joined } from './plain.js';

/** The words of users. */
export const userWords = defineWords<UserEvent>('Users', 'Stream `user-<user id>`.', {
  'user-registered.v1': {
    what: 'A user exists.',
    line: ({ user_id }) => `user ${user_id} exists`,
  },
  'user-changed.v1': {
    what: 'A user was changed, or deleted, or is back.',
    line: ({ user_id, password, deleted }) => {
      if (deleted) return `user ${user_id} is deleted`;
      return `user ${user_id} was changed, and is not deleted${password === null ? '' : '; the password is another one'}`;
    },
  },
  'user-email-changed.v1': {
    what: 'A user has another e-mail address.',
    line: ({ user_id, previous }) =>
      previous === null
        ? `user ${user_id} writes the same e-mail address in another way`
        : `user ${user_id} has another e-mail address`,
  },
  'user-emails-released.v1': {
    what: 'A user gave back addresses that they had left.',
    line: ({ user_id, addresses }) => `user ${user_id} gave back ${counted(addresses.length, 'address', 'es')}`,
  },
  'user-erased.v1': {
    what: 'An operator erased a user: nothing opens their personal data any more, and their e-mail address is free.',
    line: ({ user_id, reason }) => `user ${user_id} was erased: ${reason}`,
  },
});

/** The words of e-mail addresses. */
export const emailWords = defineWords<EmailEvent>('E-mail addresses', 'Stream `email-<keyed hash of the address>`.', {
  'email-taken.v1': {
    what: 'An e-mail address is taken by a new user.',
    line: ({ user_id }) => `the address is taken by the new user ${user_id}`,
  },
  'email-exchanged.v1': {
    what: 'A user took this address in place of another one.',
    line: ({ user_id }) => `user ${user_id} took the address in place of another one`,
  },
  'email-freed.v1': {
    what: 'The address is free for others.',
    line: ({ user_id }) => `user ${user_id} has the address no more: it is free for others`,
  },
});

/** The words of shipping addresses. */
export const addressWords = defineWords<AddressEvent>('Shipping addresses', 'Stream `address-<id>`.', {
  'address-stored.v1': {
    what: 'A shipping address was stored.',
    line: ({ address_id, user_id }) => `shipping address ${address_id} of user ${user_id} was stored`,
  },
  'address-removed.v1': {
    what: 'It is not in its user’s list any more, and no new purchase ships to it.',
    line: ({ address_id, user_id }) => `shipping address ${address_id} is not in the list of user ${user_id} any more`,
  },
  'address-restored.v1': {
    what: 'It was stored again, and is in the list again.',
    line: ({ address_id, user_id }) => `shipping address ${address_id} is in the list of user ${user_id} again`,
  },
});

/** The words of cards. */
export const cardWords = defineWords<WalletEvent>('Cards', 'Stream `wallet-<user id>`.', {
  'card-stored.v1': {
    what: 'A card was stored. Its number is in the vault, and in no event.',
    line: ({ card_id, user_id, brand, primary }) =>
      `card ${card_id} (${brand}) of user ${user_id} was stored${primary ? '; it is the default' : ''}`,
  },
  'default-card-set.v1': {
    what: 'Another card is the user’s default. `before` is the one until then.',
    line: ({ card_id, user_id, before }) => `card ${card_id} is the default of user ${user_id}, in place of ${before}`,
  },
  'card-deleted.v1': {
    what: 'A card was deleted. `next_default` is the default from now on, if this one was it until then. `life` counts from 0, and grows when the card is stored again.',
    line: ({ card_id, user_id, next_default }) =>
      `card ${card_id} of user ${user_id} was deleted${next_default === null ? '' : `; card ${next_default} is the default now`}`,
  },
  'card-restored.v1': {
    what: 'The number of a deleted card was stored again: it is the same card, and its number is in the vault under its new `life`.',
    line: ({ card_id, user_id, primary }) =>
      `the deleted card ${card_id} of user ${user_id} was stored again${primary ? '; it is the default' : ''}`,
  },
  'card-number-destroyed.v1': {
    what: 'The vault has the number of this `life` no more.',
    line: ({ card_id, user_id }) =>
      `the vault has the number of the deleted card ${card_id} of user ${user_id} no more`,
  },
  'wallet-erased.v1': {
    what: 'The cards of a user who is erased: nothing shows them any more. `life` is the one whose number the vault destroys, null if the card was deleted before.',
    line: ({ user_id, cards }) => `the ${counted(cards.length, 'card')} of user ${user_id} were erased`,
  },
});

/** The words of access tokens. */
export const accessTokenWords = defineWords<AccessTokenEvent>('Access tokens', 'Stream `accessToken-<token id>`.', {
  'access-token-issued.v1': {
    what: 'A user may call the service until `expires_at`, as long as the key `key_id` counts, and nothing has ended all tokens of the user since (`generation` is how often that had happened).',
    line: ({ user_id, scope, access, expires_at }) =>
      `user ${user_id} may call the service until ${isoTime(expires_at)}: scope ${joined(scope)}, access ${joined(access)}`,
  },
  'access-token-ended.v1': {
    what: 'The partner ended the token before its time.',
    line: ({ user_id }) => `an access token of user ${user_id} was ended before its time`,
  },
});
