import { and, eq, gte, lte, type Reader } from '#eventsourcing';
import { MOST_EXAMINED } from '#kernel/bounds';
import { eventIndexView, type IndexedBlock } from './event-index.view.js';

/** Rows that are read at a time: few, because the next one that is asked for may be far away. */
const ROWS = 16;

/** The rows of one term in the order of their blocks, ascending or descending. */
export class RowsOfTerm {
  #rows: readonly IndexedBlock[] = [];
  #isEnd = false;

  constructor(
    private readonly reader: Pick<Reader, 'of'>,
    private readonly term: string,
    private readonly descending: boolean,
  ) {}

  /** The first row at a block or beyond it; undefined if there is none. Each block that is asked for is beyond the one before. */
  async at(block: number): Promise<IndexedBlock | undefined> {
    const isBefore = (row: IndexedBlock): boolean => (this.descending ? row.block > block : row.block < block);
    this.#rows = this.#rows.slice(this.#rows.filter(isBefore).length);
    if (this.#rows.length === 0 && !this.#isEnd) this.#rows = await this.#read(block);
    return this.#rows[0];
  }

  async #read(block: number): Promise<readonly IndexedBlock[]> {
    const beyond = this.descending ? lte('block', block) : gte('block', block);
    const found = await this.reader.of(eventIndexView).find({
      where: and(eq('term', this.term), beyond),
      sort: [{ field: 'block', descending: this.descending }],
      page: 1,
      perPage: ROWS,
      examine: MOST_EXAMINED,
    });
    this.#isEnd = found.length < ROWS;
    return found.map(({ row }) => row);
  }
}
