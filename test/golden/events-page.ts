import { readFileSync } from 'node:fs';
import { WORDS, type Phrase, type StreamWords } from '#auditing/words';

export const EVENTS_PAGE = 'docs/events.md';

/** The paragraphs before the first section. */
const INTRODUCTION: readonly string[] = [
  '# The events of the log',
  'For auditors, and for whoever reads `/auditors/purchases/<id>/history`, `/auditors/streams/<stream>` or `/auditors/log`. Every change is one event; nothing is ever changed or deleted. Lists and answers are made from these.',
  'Each event has beside its `data`: `stream` and `revision` (its place among the events of one thing), `position` (its place in the whole log), `time`, `actor` (`operator:<name>`, `partner:<name>/key:<key id>`, `partner:<name>/token:<token id>` for a user with an access token, `user:<user id>` for a user who followed a link in a mail, `system:<what did it>`), `correlation` (one for all that one request led to) and `cause` (`stream@revision` of the event that led to it; null for what a request decided itself).',
  'Each event is shown with `words` too: what happened, with the facts of this event, in one line of plain text of at most 200 characters. It has no personal data and no secrets; texts of people are cut to 60 characters.',
  'Money is in cents, in the currency that stands beside it; `last4`, `gateway` and `reference` say from which card, by which gateway, and under which of its references it moved. Instants in `data` are milliseconds since 1970; `time` is ISO 8601. A `deal` is the deal as sold: `id`, `revision`, `title`, `type` and `image`. Event `revision` of the stream `deal-<id>` has all the rest of it; so has `deal_revision` of a coupon. Personal data (`profile`, `email`, `address`, `password`, `buyer`) is sealed with a key of the person, and hashes open nothing.',
  'If somebody cut the log, and an operator has accepted that, the history of a purchase lists the events that are gone under `missing` (`stream@revision`). Before an operator accepts it, the history is unavailable (503).',
  'The number behind `.v` is the version. An event of an earlier version is shown in the present one.',
];

const TITLES = ['event', 'what happened', 'data'];

/** The page of all events: what each one means, and the fields of its data. */
export function eventsPage(): string {
  return `${[...INTRODUCTION, ...WORDS.flatMap(sectionOf)].join('\n\n')}\n`;
}

function sectionOf({ heading, about, phrases }: StreamWords): readonly string[] {
  const rows = Object.entries(phrases).map(([type, phrase]) => [code(type), phrase.what, fieldsOf(type, phrase)]);
  return [`## ${heading}`, about, table([TITLES, ...rows])];
}

/** The fields of a sample of the event, and those that only some events have. */
function fieldsOf(type: string, { optional = {} }: Phrase<object>): string {
  const { data } = JSON.parse(readFileSync(`test/golden/${type}.json`, 'utf8')) as { readonly data: object };
  const some = Object.keys(optional).map((name) => code(`${name}?`));
  return [...Object.keys(data).map(code), ...some].join(', ');
}

const code = (text: string): string => `\`${text}\``;

/** A table with columns as wide as their longest cells, as the formatter writes it. The first line has the titles. */
function table([titles = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = [titles, widths.map((width) => '-'.repeat(width)), ...rows];
  return lines
    .map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
}
