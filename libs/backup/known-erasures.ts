import { type Erasure, type Erasures, erasuresText, parseErasures } from '#erasures-file';
import { parsedJson } from '#kernel';
import type { BackupFolder } from './backup-folder.js';
import { BackupRefused, damaged } from './damaged.js';
import { type Copy, erasuresPath, type Manifest, tailPath } from './manifest.js';
import type { KeptLine } from './state-line.js';
import { readTail } from './tail.js';

/** The erasures that a backup knows, whichever of its copies is restored. */
export interface KnownErasures {
  /** Those of the newest copy that can be read, and of what follows it; undefined if none has any. */
  readonly erasures: Erasures | undefined;
  /** Why those of a newer copy cannot be read: the backup knows more than `erasures`, perhaps. */
  readonly unread: BackupRefused | undefined;
}

/** @param chosen the copy that is restored: its own erasures must be whole. @throws BackupRefused */
export async function knownErasures(folder: BackupFolder, manifest: Manifest, chosen: Copy): Promise<KnownErasures> {
  await erasuresOf(folder, manifest, chosen);
  let unread: BackupRefused | undefined;
  for (const copy of manifest.copies.toReversed()) {
    try {
      const erasures = await erasuresOf(folder, manifest, copy);
      if (erasures !== undefined) return { erasures, unread };
    } catch (error) {
      if (!(error instanceof BackupRefused)) throw error;
      unread ??= error;
    }
  }
  return { erasures: undefined, unread };
}

/** The erasures of a copy, with those that came while it was followed; undefined if it has none. @throws BackupRefused */
export async function erasuresOf(
  folder: BackupFolder,
  { installation, tail }: Pick<Manifest, 'installation' | 'tail'>,
  copy: Copy,
): Promise<Erasures | undefined> {
  let erasures: Erasures | undefined;
  if (copy.erasures !== null) {
    const path = erasuresPath(copy, copy.erasures);
    const text = await folder.read(installation, path, copy.erasures);
    erasures = parseErasures(folder.fileOf(path), text.toString());
  }
  if (tail?.copy !== copy.name) return erasures;
  const later = (await readTail(folder, installation, tail.number)).flat().flatMap(erasureIn);
  if (later.length === 0) return erasures;
  return withLater(folder.fileOf(tailPath(tail.number)), erasures ?? { installation, lines: [] }, later);
}

function erasureIn(text: string): readonly Erasure[] {
  if (!text.startsWith('{"kind":"erasure"')) return [];
  return [parsedJson((JSON.parse(text) as Extract<KeptLine, { readonly kind: 'erasure' }>).text) as Erasure];
}

/** Adds what came later. The same line may come again. @throws BackupRefused that names the file of another line */
function withLater(file: string, { installation, lines }: Erasures, later: readonly Erasure[]): Erasures {
  const all = [...lines];
  for (const line of later) {
    const there = all[line.number - 1];
    if (there !== undefined && JSON.stringify(there) !== JSON.stringify(line))
      throw damaged(file, `has another erasure ${line.number} than what comes before it`);
    if (there === undefined) all.push(line);
  }
  return parseErasures(file, erasuresText({ installation, lines: all }));
}
