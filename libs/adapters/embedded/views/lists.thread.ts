import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { View } from '#kernel';
import { thisMachine } from '#adapters/machine';
import {
  type Found,
  type ListAnswer,
  type ListRead,
  type ListRequest,
  type ListThreadData,
  thrownAs,
  type ViewShape,
} from './list-messages.js';
import { EmbeddedViewReader } from './view-reader.js';

const { time } = thisMachine;
/** How much the other threads go before this one where all want to run (0 to 19). */
const NICENESS = 10;

/** Reads lists, one after another: each sees what was written when it began. */
class ListReaders {
  readonly #readers = new Map<string, EmbeddedViewReader<object>>();

  constructor(
    private readonly folder: string,
    private readonly send: (answer: ListAnswer) => void,
  ) {}

  async answer({ view, read }: ListRequest): Promise<ListAnswer> {
    const reader = this.#reader(view);
    const began = time.monotonic();
    const took = (): number => time.monotonic() - began;
    try {
      return { found: await foundBy(reader, read), took: took() };
    } catch (error) {
      return { thrown: thrownAs(error), took: took() };
    } finally {
      reader.release();
    }
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
  }

  #reader(shape: ViewShape): EmbeddedViewReader<object> {
    const name = `${shape.name}.v${shape.version}`;
    let reader = this.#readers.get(name);
    if (reader === undefined) {
      // A reader calls none of a view's functions.
      reader = new EmbeddedViewReader(this.folder, shape as View, {
        held: () => undefined,
        damaged: (damage) => this.send({ damage }),
      });
      this.#readers.set(name, reader);
    }
    return reader;
  }
}

async function foundBy(reader: EmbeddedViewReader<object>, read: ListRead): Promise<Found> {
  switch (read.kind) {
    case 'find':
      return { kind: 'find', rows: await reader.find(read.query) };
    case 'versions': {
      const { keys, positions } = await reader.versions(read.query);
      return { kind: 'versions', keys, positions };
    }
    case 'count':
      return { kind: 'count', count: await reader.count(read.where, read.examine) };
  }
}

function run(): void {
  const port = parentPort;
  if (port === null) throw new Error('this file must run as a thread');
  // Only Linux gives a thread a priority of its own; elsewhere it would be that of the whole process.
  if (process.platform === 'linux') setPriority(NICENESS);
  const send = (answer: ListAnswer): void => port.postMessage(answer);
  const readers = new ListReaders((workerData as ListThreadData).folder, send);
  port.on('message', (request: ListRequest | 'close') => {
    if (request === 'close') {
      readers.close();
      port.close();
      return;
    }
    void readers.answer(request).then(send);
  });
}

run();
