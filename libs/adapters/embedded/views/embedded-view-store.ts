import { existsSync } from 'node:fs';
import type { View } from '#kernel';
import type { GenerationInfo, ViewStore, ViewWriter } from '#eventsourcing/ports';
import { makePrivateFolder } from '../private-folder.js';
import { begin, checkpointIn, drop, mark, markIn, openIntact, openLive, Phase } from './generation.js';
import { BUILDING, deleteDatabase, GenerationFiles } from './generation-files.js';
import { EmbeddedViewWriter } from './view-writer.js';

/**
 * Views as SQLite files, one per generation, in a folder that one process owns. While that process is down, the folder may
 * be deleted, in whole or in part: the log rebuilds what is missing.
 */
export class EmbeddedViewStore implements ViewStore {
  private readonly writers = new Map<string, EmbeddedViewWriter>();

  private constructor(
    private readonly folder: string,
    private readonly notice: (text: string) => void,
  ) {}

  /**
   * Opens the folder and makes a missing one.
   * @param notice called with what operators should know of the files: one is lost or damaged
   */
  static open(folder: string, notice: (text: string) => void = () => undefined): EmbeddedViewStore {
    makePrivateFolder(folder);
    return new EmbeddedViewStore(folder, notice);
  }

  async generations(view: View, log: string): Promise<readonly GenerationInfo[]> {
    const files = new GenerationFiles(this.folder, view);
    const live = files.live();
    const found: GenerationInfo[] = [];
    const finished = files.finished();
    const again = `the view ${view.name} is built again from the event log`;
    if (live !== undefined && !finished.includes(live)) this.notice(`${files.path(live)} is missing: ${again}`);
    for (const number of finished) {
      const path = files.path(number);
      const damaged = (reason: string): void =>
        this.notice(`${path} is damaged (${reason}) and is removed${number === live ? `: ${again}` : ''}`);
      const database = openIntact(path, view, log, damaged);
      if (database === undefined) {
        await this.drop(view, number);
        continue;
      }
      markIn(database, number === live ? Phase.LIVE : Phase.BESIDE);
      found.push({ number, finished: true, live: number === live, checkpoint: checkpointIn(database) });
      database.close();
    }
    for (const number of files.building()) {
      const writer = this.writers.get(nameOf(view, number));
      // Without a journal the rest of a build proves nothing; a build that continues in this process is complete.
      if (writer?.usable !== true || writer.log !== log) await this.drop(view, number);
      else found.push({ number, finished: false, live: false, checkpoint: await writer.checkpoint() });
    }
    if (found.some(({ live: isLive }) => isLive)) files.deleteObsolete();
    return found.sort((a, b) => a.number - b.number);
  }

  async begin(view: View, log: string): Promise<{ readonly number: number; readonly writer: ViewWriter }> {
    const files = new GenerationFiles(this.folder, view);
    const number = files.take();
    const path = files.path(number);
    const writer = new EmbeddedViewWriter(begin(path, view, log), path, view, log, true);
    this.writers.set(nameOf(view, number), writer);
    return { number, writer };
  }

  async open(view: View, generation: number): Promise<ViewWriter> {
    const name = nameOf(view, generation);
    const path = new GenerationFiles(this.folder, view).path(generation);
    const before = this.writers.get(name);
    if (!existsSync(path)) {
      if (before?.usable === true) return before;
      throw missing(view, generation);
    }
    await before?.close();
    const database = openLive(path);
    const { log } = database.prepare('SELECT log FROM meta').get() as { log: string };
    const writer = new EmbeddedViewWriter(database, path, view, log, false);
    this.writers.set(name, writer);
    return writer;
  }

  async promote(view: View, generation: number): Promise<void> {
    const files = new GenerationFiles(this.folder, view);
    const path = files.path(generation);
    if (!existsSync(path)) throw missing(view, generation);
    const before = files.live();
    mark(path, Phase.LIVE);
    files.setLive(generation);
    if (before !== undefined && before !== generation && existsSync(files.path(before))) {
      mark(files.path(before), Phase.BESIDE);
    }
  }

  async drop(view: View, generation: number): Promise<void> {
    const name = nameOf(view, generation);
    await this.writers.get(name)?.close();
    this.writers.delete(name);
    const files = new GenerationFiles(this.folder, view);
    if (files.live() === generation) files.setLive(undefined);
    const path = files.path(generation);
    deleteDatabase(path + BUILDING);
    if (existsSync(path)) drop(path);
  }

  async close(): Promise<void> {
    for (const writer of this.writers.values()) await writer.close();
    this.writers.clear();
  }
}

function nameOf(view: View, generation: number): string {
  return `${view.name}.v${view.version}.g${generation}`;
}

function missing(view: View, generation: number): Error {
  return new Error(`the view ${view.name} has no finished generation ${generation}`);
}
