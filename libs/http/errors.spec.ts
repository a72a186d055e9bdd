import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DomainError, notFound } from '#kernel';
import {
  answerTo,
  DOMAIN_CODES,
  ERROR,
  ERROR_TYPES,
  missing,
  plain,
  type Answers,
  type ErrorAnswer,
} from './errors.js';

/** Texts that the interface or a ruling fixes: `detail` beside them explains the case. */
const FIXED = new Set(['Unable to find', 'Failed. not found.', 'Unable to update, partner token has changed']);
/** Details that use cases add to their errors. */
const DETAILS = {
  field: 'title',
  detail: 'an explanation for people',
  user_id: 'u',
  credit_card_id: 'c',
  purchase_id: 'p',
  entries: [missing('quantity', 'purchase')],
};

describe('the answer to a refusal', () => {
  it.each(DOMAIN_CODES)('%s has a documented status, type and set of fields', (code) => {
    const { status, body } = answerTo(new DomainError(code, 'Unable to find', DETAILS));
    expect(ERROR.parse(body)).toEqual(body);
    expect(ERROR_TYPES[body.error_type][0]).toContain(status);
    const order = Object.keys(ERROR.shape).filter((name) => name in body);
    expect(Object.keys(body)).toEqual(order);
    if (FIXED.has(body.error_msg)) expect(body.detail).toMatch(/ /);
    else expect(body.errors?.length).toBeGreaterThan(0);
  });

  it('7.1: begins with the fields of the interface, unchanged', () => {
    const { body } = answerTo(notFound('no deal has this id'));
    expect(JSON.stringify(body)).toBe(
      '{"status":"error","error_type":"find_failed","error_msg":"Unable to find","detail":"no deal has this id"}',
    );
  });

  it('declares only codes that some use case throws', () => {
    const libs = join(process.cwd(), 'libs');
    const elsewhere = readdirSync(libs, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.spec\.ts$|codes\.ts$|http\/errors\.ts$/.test(name))
      .map((name) => readFileSync(join(libs, name), 'utf8'))
      .join('');
    expect(DOMAIN_CODES.length).toBeGreaterThan(20);
    expect(DOMAIN_CODES.filter((code) => !elsewhere.includes(`'${code}'`))).toEqual([]);
  });

  it('does not compile for an undeclared code, for a code without an answer, or for an answer without a code', () => {
    // @ts-expect-error no context declares this code
    const typo = new DomainError('user_nto_found', 'not found');
    expect(answerTo(typo).status).toBe(500);
    const answer = (): ErrorAnswer => plain(404, 'find_failed', 'Unable to find');
    // @ts-expect-error the other codes have no answer
    const some: Answers = { not_found: answer };
    // @ts-expect-error no context declares this code
    const code: keyof Answers = 'user_nto_found';
    // @ts-expect-error this code never leaves a use case
    const within: keyof Answers = 'user_moved';
    expect([Object.keys(some), code, within]).toHaveLength(3);
  });
});
