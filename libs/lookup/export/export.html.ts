import { Html, html, ownHtml, plainPage } from '#http';
import { PARTS, type PartName } from './export.answer.js';
import type { ExportHead, PartReader } from './person-export.js';

/** Stands where the parts go: a page is made around its content, and the parts come later. */
const PLACE = '<!-- parts -->';

/** An export as a page for people, in pieces. It is whole if it ends with the words that nothing is missing. */
export async function* htmlOf(head: ExportHead, read: PartReader): AsyncGenerator<string> {
  const page = plainPage(`What is held about user ${head.user.id}`, intro(head)).text;
  const [before = '', after = ''] = page.split(PLACE);
  yield before;
  for (const name of Object.keys(PARTS) as PartName[]) {
    const { title, entry } = PARTS[name];
    const columns = Object.keys(entry.shape);
    let count = 0;
    yield ownHtml`<h2>${title}</h2>`.text;
    for await (const entries of read(name)) {
      if (entries.length === 0) continue;
      if (count === 0) yield `<table>${headOf(columns).text}<tbody>`;
      count += entries.length;
      yield entries.map((each) => rowOf(columns, each as Readonly<Record<string, unknown>>).text).join('');
    }
    yield count === 0 ? '<p class="soft">Nothing.</p>' : `</tbody></table><p class="soft">${count} in all.</p>`;
  }
  yield `<p>This is the end of the page: it is whole.</p>${after}`;
}

function intro({ exported_at, partner_id, user }: ExportHead): Html {
  const rows = Object.entries({ ...user, partner: partner_id }).map(
    ([name, value]) =>
      html`<tr>
        <th scope="row">${name.replaceAll('_', ' ')}</th>
        <td>${shown(value)}</td>
      </tr>`,
  );
  return html`<main>
    <h1>What is held about a user</h1>
    <p class="soft">As of ${exported_at}. Times are UTC. Amounts are in cents.</p>
    <table>
      <tbody>
        ${rows}
      </tbody>
    </table>
    ${new Html(PLACE)}
  </main>`;
}

function headOf(columns: readonly string[]): Html {
  return html`<thead>
    <tr>
      ${columns.map((name) => html`<th scope="col">${name.replaceAll('_', ' ')}</th>`)}
    </tr>
  </thead>`;
}

function rowOf(columns: readonly string[], entry: Readonly<Record<string, unknown>>): Html {
  return html`<tr>
    ${columns.map((name) => html`<td>${shown(entry[name])}</td>`)}
  </tr>`;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
