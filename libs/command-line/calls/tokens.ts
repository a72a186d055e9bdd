import { INTEGERS } from '#kernel/bounds';
import type { Call } from './call.js';
import { shownOnce } from './shown-once.js';
import { choice, id, integer, required, text } from './values.js';

/** Tokens of operators and auditors. */
export const TOKENS: readonly Call[] = [
  {
    noun: 'tokens',
    verb: 'list',
    kind: 'page',
    route: 'GET /operators/tokens',
    words: 'lists the tokens of operators and auditors, without their secrets',
    example: 'tokens list',
    key: 'tokens',
    columns: ['id', 'name', 'role', 'created_at', 'expires_at', 'last_used_on', 'state'],
  },
  {
    noun: 'tokens',
    verb: 'issue',
    kind: 'one',
    route: 'POST /operators/tokens',
    words: 'issues a token to an operator or auditor, and shows it once',
    example: 'tokens issue --name ann --role auditor',
    options: {
      name: required(text('whose it is')),
      role: required(choice('what it may do', 'operator', 'auditor')),
      expires_in: integer(
        'after how many seconds it ends, at most 366 days; 90 days by default',
        INTEGERS.tokenLifetime,
      ),
    },
    show: shownOnce,
  },
  {
    noun: 'tokens',
    verb: 'revoke',
    kind: 'one',
    route: 'DELETE /operators/tokens/:id',
    words: 'revokes a token',
    example: 'tokens revoke 7d1e',
    arguments: { id: id('the id of a token', 'token') },
  },
];
