import { PARTS, type PartName } from './export.answer.js';
import type { ExportHead, PartReader } from './person-export.js';

/** An export as one JSON text, in pieces. */
export async function* jsonOf(head: ExportHead, read: PartReader): AsyncGenerator<string> {
  yield JSON.stringify({ status: 'success', ...head }).slice(0, -1);
  for (const name of Object.keys(PARTS) as PartName[]) {
    yield `,${JSON.stringify(name)}:[`;
    let before = '';
    for await (const entries of read(name)) {
      if (entries.length === 0) continue;
      yield before + entries.map((entry) => JSON.stringify(entry)).join(',');
      before = ',';
    }
    yield ']';
  }
  yield '}';
}
