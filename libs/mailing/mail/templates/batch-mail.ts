import { MAIL_TEXTS } from '#kernel/bounds';
import { BATCH } from './compiled.js';
import { fill } from './fill.js';
import {
  type DealInMail,
  dealLines,
  dealWords,
  greeting,
  paragraphs,
  short,
  shortLine,
  type Written,
} from './words.js';

/** What a batch's mail shows. */
export interface BatchMailInput {
  /** Null for a user without a name. */
  readonly firstName: string | null;
  readonly deal: DealInMail & { readonly description: string | null };
  /** Where the user ends these mails. */
  readonly unsubscribe: string;
}

/** The mail of a batch: one deal, and how to end such mails. */
export function batchMail({ firstName, deal, unsubscribe }: BatchMailInput): Written {
  const words = dealWords(deal);
  const { title, merchant, price, worth } = words;
  const description = short(deal.description ?? '', MAIL_TEXTS.description);
  const scope = {
    ...words,
    description: description === '' ? null : description,
    greeting: greeting(firstName),
    preview: [price, worth, merchant].filter((each) => each !== null).join(' · '),
    unsubscribe,
  };
  return {
    subject: shortLine(title, MAIL_TEXTS.subject),
    html: fill(BATCH, scope),
    text: paragraphs(
      scope.greeting,
      dealLines(words),
      scope.description,
      `You get this mail because you have an account with the shop that sent it.\nUnsubscribe from mails like this: ${unsubscribe}`,
    ),
  };
}
