import { createHash } from 'node:crypto';
import { Html, html } from './html.js';

/** A page with one style sheet inside, which its policy allows by the hash of its very bytes. */
export class StyledPage {
  /** As a policy says it. */
  readonly source: string;
  readonly #element: Html;

  constructor(style: string) {
    // Whitespace inside the element would be another style.
    this.#element = new Html(`<style>${style}</style>`);
    this.source = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  }

  /**
   * A whole page around its content.
   * @param head what stands in its head besides
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
