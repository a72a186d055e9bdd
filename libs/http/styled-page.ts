import { createHash } from 'node:crypto';
import { Html, html } from './html.js';

/** A page with an inline style sheet, which the content security policy allows by its hash. */
export class StyledPage {
  /** The hash, as a source of the policy. */
  readonly source: string;
  readonly #element: Html;

  constructor(style: string) {
    // Whitespace inside the element would change the hash.
    this.#element = new Html(`<style>${style}</style>`);
    this.source = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  }

  /**
   * A whole page around its content.
   * @param head more elements for its head
   */
  around(title: string, content: Html, head = html``): Html {
    return html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          ${head} ${this.#element}
        </head>
        <body>
          ${content}
        </body>
      </html> `;
  }
}
