import { isoTime } from '#kernel';
import type {
  AnswerFormEvent,
  ClockEvent,
  ImportRecordEvent,
  OperatorTokenEvent,
  ProjectionOrderEvent,
  ServiceKeyEvent,
  WorkOrderEvent,
} from '#operations/model';
import type { PartnerEvent } from '#partners/model';
import { defineWords } from './phrase.js';
import { joined, said } from './plain.js';

/** The words of partners. */
export const partnerWords = defineWords<PartnerEvent>('Partners', 'Stream `partner-<id>`.', {
  'partner-created.v1': {
    what: 'A partner exists.',
    line: ({ name, slug }) => `partner ${said(slug)} exists: ${said(name)}`,
  },
  'partner-key-issued.v1': {
    what: 'A partner has another API key. `restriction` is null for a full key, otherwise its scopes and access; keys of one name replace each other.',
    line: ({ key_id, name, restriction }) => {
      const key = `the partner has the API key ${key_id}${name === null ? '' : ` (${said(name)})`}`;
      return restriction === null
        ? key
        : `${key}: scope ${joined(restriction.scope)}, access ${joined(restriction.access)}`;
    },
  },
  'partner-key-revoked.v1': {
    what: 'An API key counts no more.',
    line: ({ key_id }) => `the API key ${key_id} counts no more`,
  },
  'partner-password-set.v1': {
    what: 'The partner’s v3 password was set.',
    line: () => 'the partner has a new v3 password',
  },
  'partner-storefront-set.v1': {
    what: 'The address that the partner’s mails link to was set; null removes it.',
    line: ({ storefront_url }) =>
      storefront_url === null ? 'the partner’s mails link to no storefront' : `mails link to ${said(storefront_url)}`,
  },
  'partner-suspension-set.v1': {
    what: 'The partner’s credentials, its users’ access tokens and its mails were paused, or are no longer.',
    line: ({ suspended }) => (suspended ? 'the partner is suspended' : 'the partner is not suspended any more'),
  },
});

/** The words of the tokens of operators and auditors. */
export const operatorTokenWords = defineWords<OperatorTokenEvent>('Tokens', 'Stream `operatorToken-<id>`.', {
  'operator-token-issued.v2': {
    what: 'An operator or auditor has a token. `expires_at` is when it ends; null: never.',
    line: ({ name, role, expires_at }) =>
      `${said(name)} has a token as ${role}${expires_at === null ? '' : ` until ${isoTime(expires_at)}`}`,
  },
  'operator-token-revoked.v1': {
    what: 'A token counts no more.',
    line: ({ token_id }) => `the token with the id ${token_id} counts no more`,
  },
});

/** The words of the keys of the installation. */
export const serviceKeyWords = defineWords<ServiceKeyEvent>('Keys', 'Stream `serviceKey-service`.', {
  'key-rotation-begun.v1': {
    what: 'An operator has ordered that another key follows a key of the installation. `from` names the key, and reveals nothing of it.',
    line: ({ key, from, reason }) =>
      `the rotation of the key ${key} (${from}) has begun${reason === null ? '' : `: ${said(reason)}`}`,
  },
  'key-rotation-ended.v1': {
    what: 'The other key is in use. `at` is when, by the clock of the process that has ended the rotation.',
    line: ({ key, from, to }) => `the key ${key} is ${to} now, and was ${from}`,
  },
});

/** The words of orders to projections. */
export const projectionWords = defineWords<ProjectionOrderEvent>('Projections', 'Stream `projection-<view>`.', {
  'projection-ordered.v1': {
    what: 'An operator has ordered something of a projection, and it was carried out. `position` is that of the skipped event.',
    line: ({ view, verb, generation, position }) => {
      const order = `${verb} was ordered of generation ${generation} of the view ${view}`;
      return position === null ? order : `${order}: the event at ${position} is left out`;
    },
  },
});

/** The words of orders for open work. */
export const workWords = defineWords<WorkOrderEvent>('Open work', 'Stream `work-<list>.<key>`.', {
  'work-retried.v1': {
    what: 'An operator has ordered to try open work again at once.',
    line: ({ list, key }) => `the work ${said(key)} of the list ${list} is tried again`,
  },
  'work-abandoned.v1': {
    what: 'An operator has ended open work for good. `reason` is the operator’s.',
    line: ({ list, key, reason }) => `the work ${said(key)} of the list ${list} is abandoned: ${said(reason)}`,
  },
});

/** The words of the test clock. */
export const clockWords = defineWords<ClockEvent>('Test clock', 'Stream `clock-<name>`.', {
  'clock-moved.v1': {
    what: 'The test clock was moved (`TEST_CLOCK`).',
    line: ({ now }) => `the test clock was moved to ${isoTime(now)}`,
  },
});

/** The words of the forms of answers. */
export const answerFormWords = defineWords<AnswerFormEvent>('Forms of answers', 'Stream `answerForm-service`.', {
  'answer-form-used.v1': {
    what: 'A process of the service began to answer in another form: what answers to partners depend on besides the log and the time. `presenters` is the version of the answers, `public_url` the address that URLs begin with, `url_key` the number of the key that signs them.',
    line: ({ form, public_url, presenters, url_key }) =>
      `answers have the form ${form}: version ${presenters}, URLs at ${said(public_url)}, signed by the key ${url_key}`,
  },
});

/** The words of imports. */
export const importWords = defineWords<ImportRecordEvent>('Imports', 'Stream `import-<import id>`.', {
  'import-begun.v1': {
    what: 'An import has changed something for the first time; one that changes nothing has no events. All events that it has written have its id as their `correlation`.',
    line: ({ import_id }) => `the import ${import_id} has begun`,
  },
  'import-ended.v1': {
    what: 'An import has ended. `whole` is false if it broke off; `regions` and so on count the changed lines of each kind.',
    line: ({ whole, lines, changed, unchanged, refused }) =>
      `the import ${whole ? 'has ended' : 'broke off'} after ${lines} lines: ${changed} changed, ${unchanged} unchanged, ${refused} refused`,
  },
});
