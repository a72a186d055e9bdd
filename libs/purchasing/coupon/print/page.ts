import { createHash } from 'node:crypto';
import { Html, html, StyledPage } from '#http';
import { STYLE } from './style.js';

const PAGE = new StyledPage(STYLE);

const PRINT = "document.getElementById('print').addEventListener('click', function () { window.print(); });";
const PRINT_HASH = createHash('sha256').update(PRINT).digest('base64');

/** Opens the browser's print dialogue: the page's only script. Paper does not show the button. */
export const PRINT_BUTTON = new Html(
  `<p class="print"><button type="button" id="print">Print this coupon</button></p><script>${PRINT}</script>`,
);

/**
 * The headers of every page. The page loads nothing and runs only the print button: the policy names the hashes of style and
 * script. It sends no referrer, because its address opens the coupon. Nobody stores a copy, which would show an old state.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${PAGE.source}; script-src 'sha256-${PRINT_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};

/** A whole page around its content. */
export function page(title: string, content: Html): Html {
  return PAGE.around(title, html`<main>${content}</main>`);
}
