import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { newDataDir, type Json } from '../../../support/running-service.js';

/** Raise it when the same events make another folder: a change of `history/` or of how a test fills a folder. */
const VERSION = 1;
/** The sums of a sample of each event: other shapes of events make other folders. */
const SHAPES = [resolve('test/golden/SHA256SUMS'), resolve('test/views/digests.json')];

/** Where the folders are kept, until somebody deletes them or events change. */
export function keptFolders(): string {
  const digest = createHash('sha256').update(String(VERSION));
  for (const file of SHAPES) digest.update(readFileSync(file));
  return join(tmpdir(), `holdfast-scale-${digest.digest('hex').slice(0, 12)}`);
}

/** A copy of a kept data folder, and what whoever filled it noted about it. */
export interface Filled<Notes> {
  readonly dataDir: string;
  readonly notes: Notes;
}

/**
 * A copy of the data folder with this name, which is filled first if it is not kept yet. A fill that broke off begins again.
 * @param fill fills an empty folder; its service must have stopped. Returns notes, as JSON
 */
export async function filledFolder<Notes extends Json>(
  name: string,
  fill: (dataDir: string) => Promise<Notes>,
): Promise<Filled<Notes>> {
  const kept = join(keptFolders(), name);
  const notes = join(keptFolders(), `${name}.json`);
  if (!existsSync(notes)) {
    const filling = `${kept}.filling`;
    for (const each of [kept, filling]) rmSync(each, { recursive: true, force: true });
    mkdirSync(filling, { recursive: true, mode: 0o700 });
    const noted = await fill(filling);
    renameSync(filling, kept);
    writeFileSync(notes, JSON.stringify(noted));
  }
  return { dataDir: copied(kept), notes: JSON.parse(readFileSync(notes, 'utf8')) as Notes };
}

/** `cp` shares the blocks of large files where the file system can. */
function copied(kept: string): string {
  const copy = newDataDir();
  const { status, stderr } = spawnSync('cp', ['-a', `${kept}/.`, copy], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the folder ${kept} cannot be copied: ${stderr}`);
  return copy;
}
