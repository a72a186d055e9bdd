import { defineDecider } from '#kernel';
import type { AnswerFormEvent, AnswerFormUsed, FormOfAnswers } from './answer-form.events.js';

/** The id of the only stream of forms. */
export const SERVICE_FORMS = 'service';

/** Forms that the state keeps. One that comes back later gets another number. */
const MOST = 100;

export interface UseForm extends FormOfAnswers {
  readonly type: 'use';
}

/** The last forms, the newest at the end, and the number of all. */
export interface AnswerFormState {
  readonly forms: readonly AnswerFormUsed[];
  readonly count: number;
}

/** The forms of the service's answers (ruling H6). Their numbers begin at 1. */
export const answerForms = defineDecider<UseForm, AnswerFormState, AnswerFormEvent>({
  category: 'answerForm',
  initialState: { forms: [], count: 0 },
  decide({ presenters, public_url, url_key }, state) {
    const form: FormOfAnswers = { presenters, public_url, url_key };
    if (formNumber(state, form) !== undefined) return [];
    return [{ type: 'answer-form-used.v1', data: { form: state.count + 1, ...form } }];
  },
  evolve: ({ forms, count }, { data }) => ({ forms: [...forms, data].slice(-MOST), count: count + 1 }),
});

/** The number of a form; undefined if the state does not have it. */
export function formNumber({ forms }: AnswerFormState, form: FormOfAnswers): number | undefined {
  return forms.find(
    ({ presenters, public_url, url_key }) =>
      presenters === form.presenters && public_url === form.public_url && url_key === form.url_key,
  )?.form;
}
