import { html, type Html } from './html.js';
import { StyledPage } from './styled-page.js';
import { TOKENS } from './tokens.js';

/** No text becomes a script in the browser: such assignments fail, and no page has a policy that allows one. */
export const NO_SCRIPT_FROM_TEXT = "require-trusted-types-for 'script'; trusted-types 'none'";

/** The style of the service's own pages: light and dark, for every screen width and for paper. */
const STYLE = `${TOKENS}
* { box-sizing: border-box; }
body { max-width: 1000px; margin: 0 auto; padding: 24px 16px 64px; background: var(--page); color: var(--ink);
  font: 16px/1.5 var(--sans); overflow-wrap: anywhere; }
a { color: var(--link); }
a:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
img { max-width: 100%; height: auto; border-radius: 8px; }
.skip { position: absolute; left: -9999px; }
.skip:focus { position: static; }
h1 { font-size: 30px; line-height: 1.2; }
h2 { margin-top: 40px; padding-top: 8px; border-top: 3px solid var(--ink); font-size: 24px; }
h3 { margin: 24px 0 8px; font-size: 18px; }
h4 { margin: 16px 0 4px; font-size: 15px; }
article { margin-top: 24px; padding-top: 4px; border-top: 1px solid var(--line); }
.soft, .type { color: var(--soft); font-size: 14px; }
.method { font: 700 13px/1.5 var(--mono); }
code, pre { font: 14px/1.45 var(--mono); }
pre { margin: 4px 0 8px; padding: 10px 12px; background: var(--box); border-radius: 8px; white-space: pre-wrap; }
button { padding: 10px 18px; border: 0; border-radius: 8px; background: var(--link); color: var(--on-link); font: inherit; font-weight: 600; }
.lead { max-width: 44em; font-size: 18px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(260px, 100%), 1fr)); gap: 16px; margin: 32px 0; padding: 0; list-style: none; }
.cards li { padding: 16px 20px; border: 1px solid var(--line); border-radius: 12px; background: var(--raised); box-shadow: var(--shadow); }
.cards li > a:first-child { font-size: 18px; font-weight: 600; }
.cards p { margin: 4px 0 0; color: var(--soft); font-size: 15px; }
nav ul { padding-left: 20px; }
nav li { line-height: 1.9; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th, td { padding: 5px 8px 5px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th[scope="row"] { font-weight: 400; }
details { padding: 4px 0; border-bottom: 1px solid var(--line); }
summary { padding: 4px 0; cursor: pointer; font-weight: 600; }
.properties { padding-left: 18px; }
@media print { body { max-width: none; padding: 0; font-size: 12px; } nav { display: none; } article { break-inside: avoid; } }
`;

const PAGE = new StyledPage(STYLE);

/**
 * The headers of the service's own pages. A page runs no script, loads only pictures, and cannot stand in a frame.
 * @param pictures the allowed sources of pictures, as in a content security policy; `data:` is for the empty icon
 * @param forms where its forms may be sent
 */
export function plainPageHeaders(
  pictures = 'data:',
  forms: "'none'" | "'self'" = "'none'",
): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${PAGE.source}; img-src ${pictures}; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'; ${NO_SCRIPT_FROM_TEXT}`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/** A whole page around its content. */
export function plainPage(title: string, content: Html): Html {
  // An empty icon, so that browsers do not request one.
  return PAGE.around(title, content, html`<link rel="icon" href="data:," />`);
}
