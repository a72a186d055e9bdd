import { ViewCache, generationBytes, type Reader, type ViewChanges } from '#eventsourcing';
import { charactersOfPictures, type PublicUrl } from '#http';
import type { Position } from '#kernel';
import type { DealRow } from './deal.row.js';
import { dealsView } from './deal.view.js';

/** A deal, and how much an answer may show of it. */
export interface DealBody {
  readonly row: DealRow;
  /** Of its last event. */
  readonly position: Position;
  /** Characters: as it is stored, and once more what answers repeat, such as its texts and the addresses of its pictures. */
  readonly characters: number;
}

/**
 * Remembers deals by slug until one of them changes. Lists show the same deals again and again, and reading a deal's text
 * costs more than finding it. The units, which change with every sale, are in the listing.
 */
export class Deals {
  readonly view = dealsView;
  readonly #cache: ViewCache<DealBody>;

  constructor(
    private readonly reader: Reader,
    changes: ViewChanges,
    private readonly publicUrl: PublicUrl,
  ) {
    this.#cache = new ViewCache(changes, dealsView, generationBytes('deals'), ({ characters }) => characters);
  }

  find(key: string): Promise<DealBody | undefined> {
    return this.#cache.find(key, async () => {
      const found = await this.reader.of(dealsView).get(key);
      return found && { row: found.row, position: found.position, characters: charactersOf(found.row, this.publicUrl) };
    });
  }
}

function charactersOf(row: DealRow, { href }: PublicUrl): number {
  const { description1, description2, image } = row.attributes;
  const repeated = [description1, description2].reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return JSON.stringify(row).length + repeated + charactersOfPictures(image, href);
}
