import { describe, expect, it } from '@jest/globals';
import { Html, html, type Part } from './html.js';

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
    ['a list', [html`<i>${'&'}</i>`, html`<b></b>`], '<i>&#38;</i><b></b>'],
    ['an empty list', [], ''],
  ])('%s', (_, part, expected) => {
    expect(html`<p title="${part}">${part}</p>`.text).toBe(`<p title="${expected}">${expected}</p>`);
  });
});
