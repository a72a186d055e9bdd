import { createHash } from 'node:crypto';
import { Html, html, NO_SCRIPT_FROM_TEXT, StyledPage } from '#http';
import { STYLE } from './style.js';

const PAGE = new StyledPage(STYLE);

const PRINT = "document.getElementById('print').addEventListener('click', function () { window.print(); });";
const PRINT_HASH = createHash('sha256').update(PRINT).digest('base64');

/** Opens the browser's print dialogue: the page's only script. Paper does not show the button. */
export const PRINT_BUTTON = new Html(
  `<p class="print"><button type="button" id="print">Print this coupon</button></p><script>${PRINT}</script>`,
);

/** Any host: an operator may name a picture of another site. */
const PICTURES = "img-src 'self' data: https:; ";

/**
 * The headers of a page. It runs only the print button: the policy names the hashes of style and script. It loads nothing but
 * the deal's picture, if it shows one. It sends no referrer, because its address opens the coupon. Nobody stores a copy, which
 * would show an old state.
 */
export function pageHeaders(shows: 'a picture' | 'no picture'): Readonly<Record<string, string>> {
  const pictures = shows === 'a picture' ? PICTURES : '';
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${PAGE.source}; script-src 'sha256-${PRINT_HASH}'; ${pictures}base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ${NO_SCRIPT_FROM_TEXT}`,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex, nofollow',
  };
}

/** A whole page around its content. */
export function page(title: string, content: Html): Html {
  return PAGE.around(title, html`<main>${content}</main>`);
}
