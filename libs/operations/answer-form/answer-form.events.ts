// The log holds these names: they never change.
import { defineEventTypes, type EventOf } from '#kernel';

/** What answers to partners depend on besides the log and the time. */
export interface FormOfAnswers {
  /** The version of the presenters (`ANSWERS`). */
  readonly presenters: number;
  /** The public address, which URLs in answers begin with; without a slash at its end. */
  readonly public_url: string;
  /** The number of the key that signs URLs. */
  readonly url_key: number;
}

/** A process of the service began to answer in a form that it had not used before, or not for long. */
export interface AnswerFormUsed extends FormOfAnswers {
  /** The number of the form, from 1 on: `Holdfast-As-Of` ends with it. */
  readonly form: number;
}

export type AnswerFormEvent = EventOf<'answer-form-used.v1', AnswerFormUsed>;

export const answerFormEvents = defineEventTypes<AnswerFormEvent>('answerForm', { 'answer-form-used.v1': true });
