import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { EVENTS_PAGE, eventsPage } from '../../test/golden/events-page.js';
import { eventTypes } from './registry.js';

/** `| \`type\` | what happened | \`field\`, … |` */
const ROW = /^\| `([\w.-]+)`\s*\|\s*(.*?)\s*\|\s*(.*?)\s*\|$/gm;

const page = readFileSync(EVENTS_PAGE, 'utf8');

const documented = [...page.matchAll(ROW)].map(([, type = '', words = '', data = '']) => ({
  type,
  words,
  data: [...data.matchAll(/`(\w+)`/g)].map(([, field]) => field),
}));

const sampleOf = (type: string): { readonly data: object } =>
  JSON.parse(readFileSync(`test/golden/${type}.json`, 'utf8')) as { readonly data: object };

describe('docs/events.md', () => {
  it('is made from the words of events: `npm run events:page` writes it', () => {
    expect(page).toBe(eventsPage());
  });

  it('has each event type of this build, once', () => {
    const present = eventTypes.flatMap(({ names }) => names);
    expect(documented.map(({ type }) => type).toSorted()).toEqual(present.toSorted());
  });

  it.each(documented)('says of $type what happened, and every field of its data', ({ type, words, data }) => {
    expect(words).toMatch(/^[A-Z`].*\.$/);
    expect(data).toEqual(Object.keys(sampleOf(type).data));
  });
});
