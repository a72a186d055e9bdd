import { MAIL_TEXTS } from '#kernel/bounds';
import { DAILY_UPDATE } from './compiled.js';
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

/** What the daily mail of a region shows. */
export interface DailyUpdateMailInput {
  /** Null for a user without a name. */
  readonly firstName: string | null;
  /** The name of the region. */
  readonly region: string;
  /** At least one, the most important first. The mail shows the first ones, and how many more there are. */
  readonly deals: readonly DealInMail[];
  /** Where the user ends the subscription. */
  readonly unsubscribe: string;
}

/** The daily mail: a digest of the deals of a region (ruling F5). */
export function dailyUpdateMail({ firstName, region, deals, unsubscribe }: DailyUpdateMailInput): Written {
  const name = short(region, MAIL_TEXTS.name);
  const shown = deals.slice(0, MAIL_TEXTS.deals).map(dealWords);
  const hidden = deals.length - shown.length;
  const more = hidden === 0 ? null : `There ${hidden === 1 ? 'is 1 more deal' : `are ${hidden} more deals`} today.`;
  const count = deals.length === 1 ? '1 deal' : `${deals.length} deals`;
  const subject = shortLine(`${count} in ${name} today: ${shown[0]?.title ?? ''}`, MAIL_TEXTS.subject);
  const heading = `Today in ${name}`;
  const scope = {
    subject,
    heading,
    region: name,
    greeting: greeting(firstName),
    preview: shortLine(shown.map(({ title }) => title).join(' · '), MAIL_TEXTS.description),
    deals: shown.map((each) => ({ ...each, unpictured: each.picture === null ? '' : null })),
    more,
    unsubscribe,
  };
  return {
    subject,
    html: fill(DAILY_UPDATE, scope),
    text: paragraphs(
      scope.greeting,
      heading,
      ...shown.map(dealLines),
      more,
      `You get this mail because you subscribed to the deals of ${name}.\nUnsubscribe from it: ${unsubscribe}`,
    ),
  };
}
