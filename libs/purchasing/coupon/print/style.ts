import { TOKENS } from '#http';

/**
 * The style of coupons' pages, for phones from 320 px and for A4 and Letter paper. Every module of a code is a whole number
 * of dots: on a screen, 5 pixels in a QR code of 29 modules and 2 in the barcode; on printers and scanners with 150, 200, 300
 * or 600 dots per inch, 3, 4, 6 or 12 dots in the barcode (0.02 in). With uneven modules, zbar missed one in twenty QR codes
 * on a crowded sheet.
 */
export const STYLE = `${TOKENS}
:root { --paper: var(--raised); --table: var(--box); --bar: var(--ink); --button: var(--ink); --on-button: var(--page); }
* { box-sizing: border-box; }
body { margin: 0; padding: 24px 16px; background: var(--table); color: var(--ink);
  font: 16px/1.5 var(--sans);
  overflow-wrap: anywhere; -webkit-text-size-adjust: 100%; }
main { max-width: 680px; margin: 0 auto; padding: 28px 20px 20px; border-radius: 16px;
  background: linear-gradient(var(--bar) 6px, var(--paper) 6px); box-shadow: 0 1px 2px #16202e1a, 0 12px 32px #16202e14; }
h1, h2, p, figure, ul, dl, dd { margin: 0; padding: 0; }
h1 { font-size: 25px; line-height: 1.2; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin-bottom: 4px; font-size: 15px; }
header { margin-bottom: 20px; overflow: hidden; }
.picture { float: right; max-width: 38%; max-height: 150px; margin: 0 0 8px 16px; border-radius: 10px; }
main > section { margin-top: 20px; }
.merchant { margin-bottom: 4px; color: var(--soft); font-size: 13px; font-weight: 600; letter-spacing: .08em;
  text-transform: uppercase; }
.lead { margin-top: 8px; color: var(--soft); white-space: pre-line; }
dl { display: flex; flex-wrap: wrap; gap: 4px 28px; margin-top: 12px; }
dl div { display: flex; gap: 8px; }
dt { color: var(--soft); }
dd { font-weight: 600; }
.print { margin-top: 20px; text-align: center; }
button { padding: 12px 24px; border: 0; border-radius: 10px; background: var(--button); color: var(--on-button); font: inherit; font-weight: 600; cursor: pointer; }
button:focus-visible { outline: 3px solid var(--good); outline-offset: 2px; }
.text { white-space: pre-line; }
.small { font-size: 13px; color: var(--soft); }
.small h2 { font-size: 13px; color: var(--ink); }
.ticket { display: flex; flex-wrap: wrap; align-items: center; justify-content: center; gap: 8px 24px; padding: 16px 8px;
  border: 2px dashed var(--line); border-radius: 12px; text-align: center; break-inside: avoid; }
.ticket svg { display: block; margin: 0 auto; background: #fff; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bars { width: 242px; height: auto; }
.facts { max-width: 100%; }
.valid { font-size: 14px; }
.valid strong { display: block; color: var(--good); font-size: 22px; line-height: 1.3; }
.label { margin-top: 8px; color: var(--soft); font-size: 13px; }
.code { font: 600 20px/1.3 var(--mono); }
figure { margin-top: 16px; }
figcaption { margin-top: 2px; font: 15px/1.4 var(--mono); letter-spacing: .06em; }
.stamp { padding: 28px 16px; border: 3px solid; border-radius: 12px; text-align: center; break-inside: avoid; }
.stamp p { color: var(--ink); }
.stamp .word { color: inherit; font-size: 38px; font-weight: 800; line-height: 1.2; letter-spacing: .04em;
  text-transform: uppercase; }
.stamp .when { font-weight: 600; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.places { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(190px, 100%), 1fr)); gap: 12px 20px;
  list-style: none; font-size: 14px; }
.places li { break-inside: avoid; }
.places span { display: block; white-space: pre-line; }
footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 16px; margin-top: 20px; padding-top: 10px; border-top: 1px solid var(--line); color: var(--soft); font-size: 12px; }
@media (min-width: 600px) {
  main { padding: 36px 40px; }
  h1 { font-size: 32px; }
  .ticket { justify-content: space-evenly; padding: 20px; }
}
@media screen { .qr { width: 185px; height: 185px; } }
@page { margin: 14mm; }
@media print {
  body { padding: 0; background: none; font-size: 14px; }
  main { max-width: none; padding: 18px 0 0; border-top: 6px solid var(--ink); border-radius: 0; background: none; box-shadow: none; }
  .print { display: none; }
  .small, .small h2 { font-size: 11px; }
  .small, .merchant, .lead, .label, dt, footer { color: #333; }
  .ticket { border-color: #777; }
  .bars { width: 2.42in; }
}
`;
