import { exactly, filled } from './checks.js';
import { errorBody } from './error.shapes.js';
import { accessToken, user } from './shapes.js';
import { answers, keyed, open, type Promised, refused, type Step, step, succeeds, success } from './step.js';

const created: Promised = succeeds(success({ user_id: filled }));

/** The users of the script. */
export const EMAIL = {
  ada: 'ada@partner.example',
  ben: 'ben@partner.example',
  cleo: 'cleo@partner.example',
  dora: 'dora@partner.example',
  newcomer: 'newcomer@partner.example',
} as const;

/** The partner creates users. Later steps use them by these names. */
const creations: readonly Step[] = [
  step(
    '4.9',
    'creates a user with all that needs no token',
    () =>
      keyed('POST', '/users', {
        json: {
          email: EMAIL.ada,
          first_name: 'Ada',
          last_name: 'Quill',
          birthday: '1980-02-29',
          postal_code: '10001',
          credits: 0,
          partner_data: { tier: 'gold' },
        },
      }),
    created,
    { keep: { ada: 'user_id' } },
  ),
  ...(['ben', 'cleo', 'dora'] as const).map((name) =>
    step(
      '4.9',
      `creates the user ${name}`,
      () => keyed('POST', '/users', { json: { email: EMAIL[name], first_name: name, last_name: 'Quill', credits: 0 } }),
      created,
      { keep: { [name]: 'user_id' } },
    ),
  ),
  step(
    '4.9',
    'creates a user with the default credit',
    () => keyed('POST', '/users', { json: { email: 'credited@partner.example', first_name: 'Cred' } }),
    created,
    { keep: { credited: 'user_id' } },
  ),
  step(
    '5',
    'creates a user with source and token; what api_token is stays open',
    () =>
      keyed('POST', '/users', {
        json: { email: 'sourced@partner.example', first_name: 'Sour', source: 'spring', token: 'token-0' },
      }),
    open,
  ),
  step(
    '4.9',
    'creates a user of an affiliate session',
    () => keyed('POST', '/users', { json: { email: 'session@partner.example', session_id: 'session-1' } }),
    open,
  ),
  step(
    '4.9',
    'creates a user without an email',
    () => keyed('POST', '/users', { json: { first_name: 'No' } }),
    refused(),
  ),
  step(
    '4.9',
    'creates the same user again',
    () => keyed('POST', '/users', { json: { email: EMAIL.ada, first_name: 'Ada', last_name: 'Quill' } }),
    open,
  ),
];

const reads: readonly Step[] = [
  step(
    '4.9',
    'reads a user',
    (known) => keyed('GET', `/users/${known.text('ada')}`),
    (known) =>
      succeeds(
        success({
          user: user({ id: exactly(known.text('ada')), firstname: exactly('Ada'), lastname: exactly('Quill') }),
        }),
      ),
  ),
  step('4.9', 'reads an unknown user', () => keyed('GET', '/users/no-such-user'), refused()),
];

const updates: readonly Step[] = [
  step(
    '4.9',
    'changes names, birthday, postal code and data of a user',
    (known) =>
      keyed('PUT', `/users/${known.text('ada')}`, {
        json: {
          first_name: 'Adele',
          last_name: 'Quills',
          birthday: '1981-03-01',
          postal_code: '10002',
          partner_data: { tier: 'silver' },
        },
      }),
    (known) =>
      succeeds(
        success({
          user: user({ id: exactly(known.text('ada')), firstname: exactly('Adele'), lastname: exactly('Quills') }),
        }),
      ),
  ),
  step(
    '4.9',
    'reads the changed user',
    (known) => keyed('GET', `/users/${known.text('ada')}`),
    succeeds(success({ user: user({ firstname: exactly('Adele'), lastname: exactly('Quills') }) })),
  ),
  step(
    '4.9',
    'changes the email of a user',
    (known) => keyed('PUT', `/users/${known.text('dora')}`, { json: { email: 'dora.new@partner.example' } }),
    (known) => succeeds(success({ user: user({ id: exactly(known.text('dora')) }) })),
  ),
  step(
    '8',
    'sets a password of five characters',
    (known) => keyed('PUT', `/users/${known.text('ada')}`, { json: { pass: 'abcde', pass_confirmation: 'abcde' } }),
    (known) => succeeds(success({ user: user({ id: exactly(known.text('ada')) }) })),
  ),
  step(
    '8',
    'sets a password of four characters',
    (known) => keyed('PUT', `/users/${known.text('ada')}`, { json: { pass: 'abcd', pass_confirmation: 'abcd' } }),
    refused(),
  ),
  step(
    '8',
    'sets a password without its confirmation',
    (known) => keyed('PUT', `/users/${known.text('ada')}`, { json: { pass: 'abcdef' } }),
    refused(),
  ),
  step(
    '8',
    'sets a password with another confirmation',
    (known) => keyed('PUT', `/users/${known.text('ada')}`, { json: { pass: 'abcdef', pass_confirmation: 'abcdeg' } }),
    refused(),
  ),
  step(
    '4.9',
    'changes an unknown user',
    () => keyed('PUT', '/users/no-such-user', { json: { first_name: 'No' } }),
    refused(),
  ),
  step(
    '4.9',
    'deletes a user softly',
    (known) => keyed('PUT', `/users/${known.text('credited')}`, { json: { is_deleted: true } }),
    (known) => succeeds(success({ user: user({ id: exactly(known.text('credited')) }) })),
  ),
  step(
    '4.9',
    'reads the deleted user; the interface does not say what remains',
    (known) => keyed('GET', `/users/${known.text('credited')}`),
    open,
  ),
];

/** 4.9: changes a user by their email. */
function byEmail(does: string, email: string, json: unknown, promises: Promised, overwrite = false): Step {
  return step(
    '4.9',
    does,
    () =>
      keyed('PUT', `/api/v1/users/${email}/update_by_email`, {
        json,
        query: overwrite ? { overwrite_token: 'true' } : {},
      }),
    promises,
    { keep: { newcomer: 'user.id' } },
  );
}

const withToken = (token: string): Promised => succeeds(success({ user: user({ token: exactly(token) }) }));

/** The four rules of 4.9. */
const updatesByEmail: readonly Step[] = [
  byEmail(
    'rule 4: creates the user by email',
    EMAIL.newcomer,
    { token: 'token-1', first_name: 'New', last_name: 'Comer' },
    succeeds(
      success({ user: user({ firstname: exactly('New'), lastname: exactly('Comer'), token: exactly('token-1') }) }),
    ),
  ),
  byEmail('rule 1: sends the token unchanged', EMAIL.newcomer, { token: 'token-1' }, withToken('token-1')),
  byEmail(
    'rule 3: sends another token',
    EMAIL.newcomer,
    { token: 'token-2' },
    answers(422, errorBody('update_failed')),
  ),
  step(
    '4.9',
    'rule 3: reads the user, whose token has stayed',
    (known) => keyed('GET', `/users/${known.text('newcomer')}`),
    withToken('token-1'),
  ),
  byEmail('rule 3: replaces the token', EMAIL.newcomer, { token: 'token-2' }, withToken('token-2'), true),
  step(
    '4.9',
    'rule 3: reads the user, whose token is replaced',
    (known) => keyed('GET', `/users/${known.text('newcomer')}`),
    withToken('token-2'),
  ),
  step(
    '4.9',
    'rule 2: sends a token to a user without one; whether it is stored stays open',
    () => keyed('PUT', `/api/v1/users/${EMAIL.ben}/update_by_email`, { json: { token: 'token-3' } }),
    (known) => succeeds(success({ user: user({ id: exactly(known.text('ben')) }) })),
  ),
  byEmail(
    'changes a user by email without a token',
    EMAIL.newcomer,
    { first_name: 'Newer', postal_code: '10003' },
    succeeds(success({ user: user({ firstname: exactly('Newer'), token: exactly('token-2') }) })),
  ),
  step(
    '4.9',
    'rule 4: creates a user by email, with an overwrite that is not needed',
    () =>
      keyed('PUT', '/api/v1/users/other.newcomer@partner.example/update_by_email', {
        json: { token: 'token-4' },
        query: { overwrite_token: 'true' },
      }),
    withToken('token-4'),
  ),
];

/** 4.15, deprecated. */
function token(scope: string, access: string): Step {
  return step(
    '4.15',
    `asks for a token with scope ${scope} and access ${access}`,
    (known) => keyed('POST', `/users/${known.text('ada')}/access_tokens`, { json: { expires_in: 600, scope, access } }),
    (known) =>
      succeeds(
        success({
          access_token: accessToken({
            user_id: exactly(known.text('ada')),
            expires_in: exactly(600),
            scope: exactly(scope),
            access: exactly(access),
          }),
        }),
      ),
  );
}

const tokens: readonly Step[] = [
  token('all', 'read,write'),
  token('user,credit_card', 'read'),
  token('user', 'write'),
  step(
    '4.15',
    'asks for a token with an unknown access',
    (known) =>
      keyed('POST', `/users/${known.text('ada')}/access_tokens`, {
        json: { expires_in: 600, scope: 'all', access: 'swim' },
      }),
    refused(),
  ),
  step(
    '4.15',
    'asks for a token for an unknown user',
    () =>
      keyed('POST', '/users/no-such-user/access_tokens', { json: { expires_in: 600, scope: 'all', access: 'read' } }),
    refused(),
  ),
];

/** The partner creates and changes users. */
export const users: readonly Step[] = [...creations, ...reads, ...updates, ...updatesByEmail, ...tokens];
