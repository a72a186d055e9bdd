import { describe, expect, it } from '@jest/globals';
import { Html, html, ownHtml, type Part } from './html.js';

describe('B7: text in HTML', () => {
  it.each<[string, Part, string]>([
    ['text', 'a coupon', 'a coupon'],
    ['an element', '<script>alert(1)</script>', '&#60;script&#62;alert(1)&#60;/script&#62;'],
    ['quotes', `"it's"`, '&#34;it&#39;s&#34;'],
    ['an entity', '&lt;', '&#38;lt;'],
    ['a backslash', String.raw`\u0041 \n`, String.raw`\u0041 \n`],
    ['a number', 12, '12'],
    ['null', null, ''],
    ['HTML', new Html('<br>'), '<br>'],
    ['a list', [ownHtml`<i>${'&'}</i>`, html`<b></b>`], '<i>&#38;</i><b></b>'],
    ['an empty list', [], ''],
  ])('%s', (_, part, expected) => {
    const shown = typeof part === 'string' ? `<bdi>${expected}</bdi>` : expected;
    expect(html`<p title="${part}">${part}</p>`.text).toBe(`<p title="${expected}">${shown}</p>`);
    expect(ownHtml`<p title="${part}">${part}</p>`.text).toBe(`<p title="${expected}">${expected}</p>`);
  });

  it.each([
    ['among words', html`In ${'\u202eא'} today`, 'In <bdi>\u202eא</bdi> today'],
    ['after a tag', html`<p class="${'a'}">${'א'}, ${'ב'}</p>`, '<p class="a"><bdi>א</bdi>, <bdi>ב</bdi></p>'],
    ['in a title, which has no elements', html`<title>${'\u202eא'}</title>`, '<title>\u2068\u202eא\u2069</title>'],
    ['nowhere', html`<p>${''}</p>`, '<p></p>'],
  ])('has a direction of its own %s', (_, { text }, expected) => {
    expect(text).toBe(expected);
  });
});
