/**
 * What all pages of the service share: colours, type and spacing, light and dark by the system. Pages of deals and coupons, the
 * reference and the console take them from here. Texts have at least 4.5 : 1 of contrast on `--page`, `--box` and their own box.
 */
export const TOKENS = `
:root {
  color-scheme: light dark;
  --ink: #17202b; --soft: #525e6c; --line: #e1e6ec; --edge: #8b96a3; --page: #fff; --box: #f4f6f9; --raised: #fff;
  --link: #0a57a3; --on-link: #fff; --tint: #e8f1fb;
  --good: #14693a; --good-box: #e6f4eb; --warn: #7d4b00; --warn-box: #fff3da; --bad: #ab211a; --bad-box: #fdecea;
  --stock: #c8d1dc; --held: #d48a00; --sold: #0a57a3;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --radius: 8px; --shadow: 0 1px 2px rgb(16 24 40 / 6%), 0 1px 3px rgb(16 24 40 / 8%);
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ink: #e7ecf2; --soft: #a5b1bf; --line: #2a333e; --edge: #6e7b8a; --page: #10151b; --box: #181f27; --raised: #1b222b;
    --link: #86bcff; --on-link: #0b1a2b; --tint: #15273b;
    --good: #74d69d; --good-box: #12291c; --warn: #f1bd62; --warn-box: #2e2410; --bad: #ff9c92; --bad-box: #351816;
    --stock: #3a4552; --held: #e0a13a; --sold: #6aaeff;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%);
  }
}
`;
