import { createHash } from 'node:crypto';
import { Html, html } from './html.js';
import { STYLE } from './style.js';

/** The policy allows these very bytes: whitespace inside the element would be another style. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The headers of every page. Nothing is loaded and nothing runs: the one thing allowed is the style in the page itself. No
 * address leaks, for the address is what opens a coupon; and no copy is kept that would show an old state.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};

/** A whole page around its content. */
export function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html> `;
}
