import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { lacking } from './answers.js';
import { reasonOf } from './reason.js';

const failed = (code: number, message: string): Error => Object.assign(new Error(message), { code });

describe('the message about why a call to EventStoreDB failed', () => {
  it.each([
    [
      '14 UNAVAILABLE: No connection established. Last error: connect ECONNREFUSED 10.0.0.1:2113',
      'nothing listens there',
    ],
    ['14 UNAVAILABLE: Name resolution failed for target dns:nowhere:2113', 'its name cannot be resolved'],
    [
      '14 UNAVAILABLE: No connection established. Last error: connect ETIMEDOUT 10.0.0.1:2113',
      'the network does not reach it',
    ],
    [
      '14 UNAVAILABLE: No connection established. Last error: self-signed certificate',
      'its certificate is not trusted',
    ],
    ['14 UNAVAILABLE: Connection dropped', 'it closes the connection'],
    ['14 UNAVAILABLE: something new', 'it cannot be reached'],
  ])('%s', (message, words) => {
    const reason = reasonOf(failed(status.UNAVAILABLE, message));
    expect(reason).toContain(words);
    expect(reason).not.toMatch(/UNAVAILABLE|10\.0\.0\.1|Last error/);
    expect(reason).toMatch(/: .*check /);
  });

  it('of a missing right', () => {
    const denied = lacking('read $all', failed(status.PERMISSION_DENIED, '7 PERMISSION_DENIED: Access Denied'));
    expect(reasonOf(denied)).toBe(
      'it does not allow its user to read $all: give the user of EVENTSTORE_URL that right (docs/growing.md)',
    );
    const other = failed(status.UNAVAILABLE, 'away');
    expect(lacking('read $all', other)).toBe(other);
  });

  it('of one that is silent, one that refuses its user, and anything else', () => {
    expect(reasonOf(failed(status.DEADLINE_EXCEEDED, '4 DEADLINE_EXCEEDED: Deadline exceeded'))).toContain('in time');
    expect(reasonOf(failed(status.UNAUTHENTICATED, '16 UNAUTHENTICATED'))).toContain('EVENTSTORE_URL');
    expect(reasonOf(new TypeError('undefined is not iterable'))).toBe('undefined is not iterable');
    expect(reasonOf(undefined)).toBe('undefined');
  });
});
