import { type Html, ownHtml as html } from '#http';

/** A line of the document’s Markdown: words and `code`. */
export function prose(line: string): Html {
  return html`${line.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

/** Paragraphs and tables of the document’s Markdown, which blank lines separate. */
export function proseParts(text: string): Html {
  return html`${text.split('\n\n').map((part) => (part.startsWith('|') ? table(part) : html`<p>${prose(part)}</p>`))}`;
}

function table(text: string): Html {
  const [head = [], , ...rows] = text.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return html`<table>
    <thead>
      <tr>
        ${head.map((cell) => html`<th scope="col">${prose(cell)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((cell) => html`<td>${prose(cell)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
