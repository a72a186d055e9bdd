import { mkdirSync } from 'node:fs';
import type { View } from '#kernel';
import type { ViewStore, ViewWriter } from '#eventsourcing';
import { begin, drop, openIntact } from './generation.js';
import { deleteDatabase, GenerationFiles } from './generation-files.js';
import { EmbeddedViewWriter } from './view-writer.js';

/**
 * Views as SQLite files, one per generation, in a folder that one process owns. The folder may be deleted while that process
 * is down, in whole or in part: the log rebuilds what is missing.
 */
export class EmbeddedViewStore implements ViewStore {
  private readonly writers = new Map<string, EmbeddedViewWriter>();

  private constructor(private readonly folder: string) {}

  /** Makes the folder when there is none. */
  static open(folder: string): EmbeddedViewStore {
    mkdirSync(folder, { recursive: true });
    return new EmbeddedViewStore(folder);
  }

  async openWriter(view: View, log: string): Promise<{ readonly writer: ViewWriter; readonly fresh: boolean }> {
    await this.letGo(view);
    const files = new GenerationFiles(this.folder, view);
    for (const path of files.finished()) {
      const database = openIntact(path, view, log);
      if (database === undefined) continue;
      const writer = this.keep(view, new EmbeddedViewWriter(database, path, view, log, false));
      this.dropAll(files, path);
      return { writer, fresh: false };
    }
    return { writer: this.beginAnew(view, log, files), fresh: true };
  }

  async reset(view: View, log: string): Promise<ViewWriter> {
    await this.letGo(view);
    return this.beginAnew(view, log, new GenerationFiles(this.folder, view));
  }

  async close(): Promise<void> {
    for (const writer of this.writers.values()) await writer.close();
    this.writers.clear();
  }

  private beginAnew(view: View, log: string, files: GenerationFiles): ViewWriter {
    const path = files.next();
    this.dropAll(files);
    return this.keep(view, new EmbeddedViewWriter(begin(path, view, log), path, view, log, true));
  }

  private dropAll(files: GenerationFiles, except?: string): void {
    for (const path of files.building()) deleteDatabase(path);
    for (const path of files.finished()) if (path !== except) drop(path);
  }

  private keep(view: View, writer: EmbeddedViewWriter): EmbeddedViewWriter {
    this.writers.set(generationName(view), writer);
    return writer;
  }

  /** A generation has one writer: who opens it again takes it over. */
  private async letGo(view: View): Promise<void> {
    await this.writers.get(generationName(view))?.close();
    this.writers.delete(generationName(view));
  }
}

function generationName(view: View): string {
  return `${view.name}.v${view.version}`;
}
