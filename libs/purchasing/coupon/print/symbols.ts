import { code128, drawingSVG } from 'bwip-js/generic';
import { BoundedMap } from '#eventsourcing';
import { Html, html } from '#http';
import { QR_BORDER, qrModules } from '../coupon.qr.js';

/** The width of a module on paper, in inches: a whole number of dots on printers of 150, 200, 300 and 600 dots per inch. */
const MODULE = 0.06;

/** Remembers drawings: they never change, take longer than the rest of a page, and people open an address again and again. */
const drawn = new BoundedMap<string, Html>(1_000);

function once(name: string, draw: () => Html): Html {
  const known = drawn.get(name);
  if (known !== undefined) return known;
  const drawing = draw();
  drawn.set(name, drawing);
  return drawing;
}

/** The QR code of `coupon.qr.ts` as a drawing, which is sharp on paper at any size. */
export function qrDrawing(text: string): Html {
  return once(`qr ${text}`, () => drawQr(text));
}

function drawQr(text: string): Html {
  const modules = qrModules(text);
  const size = modules.length + 2 * QR_BORDER;
  const inches = (size * MODULE).toFixed(2);
  const dark = modules.flatMap((line, y) =>
    runsOf(line).map(({ start, length }) => `M${start + QR_BORDER} ${y + QR_BORDER}h${length}v1h-${length}z`),
  );
  return html`<svg
    class="qr"
    width="${inches}in"
    height="${inches}in"
    role="img"
    aria-label="QR code of this coupon"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <path fill="#fff" d="M0 0h${size}v${size}h-${size}z" />
    <path fill="#000" d="${dark.join('')}" />
  </svg>`;
}

/** The width of the white zone on either side of a Code 128, in modules. */
const QUIET = 10;
/** Units of the library's drawing per module. */
const UNITS = 2;

/** Twelve digits as Code 128, set C: 101 modules and the quiet zones. */
export function barcodeDrawing(digits: string): Html {
  return once(`bars ${digits}`, () => drawBars(digits));
}

function drawBars(digits: string): Html {
  const options = { bcid: 'code128', text: digits, scale: UNITS, height: 11, paddingwidth: QUIET };
  const drawn = code128(options, drawingSVG()).replace(
    '<svg ',
    '<svg class="bars" role="img" aria-label="Barcode of this coupon" shape-rendering="crispEdges" ',
  );
  return new Html(drawn);
}

/** The runs of dark modules in a line. */
function runsOf(line: readonly boolean[]): { readonly start: number; readonly length: number }[] {
  const digits = line.map(Number).join('');
  return [...digits.matchAll(/1+/g)].map(({ index, 0: run }) => ({ start: index, length: run.length }));
}
