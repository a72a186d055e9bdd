import { describe, expect, it } from '@jest/globals';
import { given, stateOf } from '../../../test/support/given-when-then.js';
import { answerForms, formNumber } from './answer-form.decider.js';
import type { AnswerFormEvent, FormOfAnswers } from './answer-form.events.js';

const at = (public_url: string, presenters = 1, url_key = 0): FormOfAnswers => ({ presenters, public_url, url_key });
const used = (form: number, of: FormOfAnswers): AnswerFormEvent => ({
  type: 'answer-form-used.v1',
  data: { form, ...of },
});
const FIRST = at('https://deals.example');
const SECOND = at('https://shop.example');

describe('H6: the forms of answers', () => {
  it('get numbers from 1 on', () => {
    given(answerForms)
      .when({ type: 'use', ...FIRST })
      .then([used(1, FIRST)]);
    given(answerForms, [used(1, FIRST)])
      .when({ type: 'use', ...SECOND })
      .then([used(2, SECOND)]);
  });

  it('keep their number when a process uses one again', () => {
    const before = [used(1, FIRST), used(2, SECOND)];
    given(answerForms, before)
      .when({ type: 'use', ...FIRST })
      .then([]);
    expect(formNumber(stateOf(answerForms, before), FIRST)).toBe(1);
  });

  it.each([
    ['presenters', at(FIRST.public_url, 2)],
    ['the key of URLs', at(FIRST.public_url, 1, 1)],
    ['the public address', SECOND],
  ])('differ by %s', (_, other) => {
    given(answerForms, [used(1, FIRST)])
      .when({ type: 'use', ...other })
      .then([used(2, other)]);
  });

  it('are bounded in the state: the hundred and first gets the next number, the first a new one', () => {
    const forms = Array.from({ length: 101 }, (_, index) => used(index + 1, at(`https://${index}.example`)));
    const state = stateOf(answerForms, forms);
    expect([state.forms.length, state.count]).toEqual([100, 101]);
    given(answerForms, forms)
      .when({ type: 'use', ...at('https://0.example') })
      .then([used(102, at('https://0.example'))]);
  });
});
