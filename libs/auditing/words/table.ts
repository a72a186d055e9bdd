import { beginning, oneLine, type EventBody } from '#kernel';
import { dealWords, regionWords } from './catalogue.words.js';
import {
  cardLinkWords,
  linkageWords,
  mailPreferenceWords,
  savedDealWords,
  subscriptionWords,
} from './engagement.words.js';
import { personReadsWords } from './lookup.words.js';
import { batchWords, dailyUpdateWords, scheduleWords, subscriptionMailWords } from './mailing.words.js';
import {
  answerFormWords,
  clockWords,
  importWords,
  operatorTokenWords,
  partnerWords,
  projectionWords,
  serviceKeyWords,
  workWords,
} from './operations.words.js';
import { accessTokenWords, addressWords, cardWords, emailWords, userWords } from './people.words.js';
import type { StreamWords } from './phrase.js';
import { couponWords, purchaseWords, reservationWords } from './purchases.words.js';
import { stockWords } from './stock.words.js';

/** Characters of a line. */
const LONGEST = 200;

/** The words of all events, in the order of docs/events.md. */
export const WORDS: readonly StreamWords[] = [
  ...[reservationWords, purchaseWords, couponWords, stockWords, dealWords, regionWords],
  ...[userWords, emailWords, addressWords, cardWords],
  ...[savedDealWords, linkageWords, cardLinkWords],
  ...[scheduleWords, batchWords, accessTokenWords],
  ...[subscriptionWords, mailPreferenceWords, subscriptionMailWords, dailyUpdateWords],
  ...[partnerWords, operatorTokenWords, personReadsWords, importWords, clockWords, answerFormWords, serviceKeyWords],
  ...[projectionWords, workWords],
];

const PHRASES = new Map(WORDS.flatMap(({ phrases }) => Object.entries(phrases)));

/** The types of all events, in their present versions: each has words. */
export const TYPES_WITH_WORDS: ReadonlySet<string> = new Set(PHRASES.keys());

/**
 * What happened, in one line of at most 200 characters of plain text. Of an event that lacks what its line tells, as only a damaged
 * log has it, this is what happened in all events of its type.
 */
export function wordsOf({ type, data }: EventBody): string {
  const phrase = PHRASES.get(type);
  if (phrase === undefined) return type;
  try {
    return beginning(oneLine(phrase.line(data)), LONGEST);
  } catch {
    return beginning(phrase.what, LONGEST);
  }
}
