import { lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EmbeddedLogReader, inspectState, inspectViews, isFolderInUse, lagOf } from '#adapters/embedded';
import { FORMAT, type Machine } from '#eventsourcing';
import type { Instant } from '#kernel';
import { AUDIT_ENTRY, type AuditNotes, parseNotes } from '../audit/audit-notes.js';
import type { Role } from '../config.js';
import { logEngineOf } from '../engines/log-engines.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { openFiles } from '../folder/close-to-others.js';
import { copiedWords } from '../folder/copied.js';
import { FolderRefused } from '../folder/faults.js';
import { EVENTS_FILE, type FolderSettings, isFilled, STATE_FILE } from '../folder/inspected-folder.js';
import { isOurs } from '../folder/ours.js';
import { refusePlanted } from '../folder/planted.js';
import { surveyFolder } from '../folder/survey.js';
import { refuseUnfinished } from '../folder/unfinished-restore.js';
import { checkUsable } from '../folder/usable.js';
import { views, workLists } from '../registry.js';

/** What the look at a data folder takes of the settings. */
export type LookedAt = FolderSettings & { readonly role: Role };

/** Who may open the folder and its files. */
export interface Rights {
  /** The folder, as an absolute path. */
  readonly path: string;
  readonly there: boolean;
  /** Why a start would refuse the folder; undefined if it would not. */
  readonly refusal: string | undefined;
  /** Our files that others can open, as paths within the folder; the next start closes them. */
  readonly open: readonly string[];
  /** Our files that belong to another user than the one who looks; for root, than the owner of the folder. */
  readonly foreign: readonly string[];
}

/** The room on the disk of the folder, or of the nearest folder above it that is there. */
export interface Room {
  readonly freeBytes: number;
  readonly allBytes: number;
  /** How many more files the disk takes; null if it has no such limit. */
  readonly freeFiles: number | null;
  /** The bytes of the views: a rebuild of all of them takes as much again. */
  readonly viewsBytes: number;
}

/** A file of ours, or a folder of ours with all that is in it. */
export interface Sized {
  readonly name: string;
  readonly bytes: number;
  /** How many files; 1 for a file. */
  readonly files: number;
}

/** The files of a folder, as a start would check them. */
export interface Files {
  readonly sizes: readonly Sized[];
  /** Whether a service, or a command that reads it, has the folder: then nothing else is read. */
  readonly inUse: boolean;
  readonly format: string | undefined;
  readonly starts: number | undefined;
  /** Why a start would refuse the files; undefined if it would not, and if the folder is in use. */
  readonly refusal: string | undefined;
  /** Whether a restore has not finished: one that works (then the folder is in use), or one that broke off. */
  readonly isRestoring: boolean;
  /** The codes of findings that an operator may accept. */
  readonly codes: readonly string[];
  /** Set if the folder was elsewhere at its last start. */
  readonly copied: string | undefined;
}

/** What the files of a stopped service say. */
export interface Kept {
  /** undefined if the log is on a server, or there is none. */
  readonly log: { readonly head: string; readonly lastAt: Instant | undefined } | undefined;
  readonly views: readonly KeptView[];
  readonly audit: AuditNotes | undefined;
}

/** The live generation of a view, and how far it has come. */
export interface KeptView {
  readonly view: string;
  readonly generation: number | null;
  readonly position: string | null;
  /** Events behind the log; null if unknown. */
  readonly lag: number | null;
  readonly fault: string | undefined;
  readonly due: { readonly rows: number; readonly since: Instant | null } | null;
}

export function lookAtRights({ dataDir, role }: LookedAt): Rights {
  const path = resolve(dataDir);
  const there = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const refusal = attempt(() => {
    checkUsable(dataDir);
    if (role === 'all') refusePlanted(dataDir, false);
  });
  if (!there) return { path, there, refusal, open: [], foreign: [] };
  const user = process.getuid?.();
  // root looks for the owner of the folder.
  const owner = user === 0 ? statSync(path).uid : user;
  const foreign = readdirSync(path)
    .filter(isOurs)
    .filter((name) => owner !== undefined && lstatSync(join(path, name), { throwIfNoEntry: false })?.uid !== owner);
  return { path, there, refusal, open: openFiles(path), foreign };
}

export function lookAtRoom({ dataDir }: LookedAt): Room {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(nearest(resolve(dataDir)));
  const { bytes } = sizeOf(join(dataDir, 'views'), 'views');
  return {
    freeBytes: bavail * bsize,
    allBytes: blocks * bsize,
    freeFiles: files === 0 ? null : ffree,
    viewsBytes: bytes,
  };
}

export async function lookAtFiles(settings: LookedAt, machine: Machine): Promise<Files> {
  const { dataDir, role } = settings;
  const names = entriesOf(dataDir).filter(isOurs);
  const sizes = names.toSorted().map((name) => sizeOf(join(dataDir, name), name));
  const inUse = isFolderInUse(dataDir);
  const nothing = {
    sizes,
    inUse,
    format: undefined,
    starts: undefined,
    refusal: undefined,
    isRestoring: false,
    codes: [],
    copied: undefined,
  };
  // On servers, too, a restore marks the folder.
  const unfinished = attempt(() => refuseUnfinished(dataDir));
  if (unfinished !== undefined) return { ...nothing, refusal: unfinished, isRestoring: true };
  if (inUse || role !== 'all') return nothing;
  try {
    const manifest = await surveyFolder(settings, machine);
    if (manifest === undefined) return nothing;
    const copied = logEngineOf(settings).inFolder ? copiedWords(dataDir, manifest) : undefined;
    return { ...nothing, format: FORMAT, starts: manifest.starts, copied };
  } catch (error) {
    const codes = error instanceof FolderRefused ? error.codes : [];
    return { ...nothing, refusal: wordsOf(error), codes };
  }
}

/** Reads what a stopped service has left. @returns undefined if a service has the folder, or shares its servers with others */
export async function lookAtKept(settings: LookedAt, now: Instant): Promise<Kept | undefined> {
  const { dataDir, role } = settings;
  if (role !== 'all' || isFolderInUse(dataDir)) return undefined;
  const file = join(dataDir, EVENTS_FILE);
  const log = logEngineOf(settings).inFolder && isFilled(file) ? EmbeddedLogReader.look(file) : undefined;
  try {
    const head = await log?.head();
    const last = head === undefined || head === 0n ? undefined : await log?.eventAt(head);
    const state = stateEngineOf(settings).inFolder ? inspectState(join(dataDir, STATE_FILE)) : undefined;
    const folder = join(dataDir, 'views');
    const inspected =
      stateEngineOf(settings).inFolder && entriesOf(folder).length > 0
        ? inspectViews(folder, views, { names: new Set(workLists.map(({ view }) => view.name)), now })
        : [];
    return {
      log: head === undefined ? undefined : { head: head.toString(), lastAt: last?.metadata.time },
      views: inspected.map((each) => ({
        view: each.view,
        generation: each.generation,
        position: each.checkpoint?.position.toString() ?? null,
        lag: log === undefined || head === undefined ? null : lagOf(each, log.identity, head),
        fault: each.fault,
        due: each.due,
      })),
      audit: state && parseNotes(state.keyValues.get(AUDIT_ENTRY)),
    };
  } finally {
    await log?.close();
  }
}

function attempt(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The names in a folder; none if there is no such folder. */
function entriesOf(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];
}

/** The bytes of a file, or of everything in a folder. A file that goes away meanwhile has none. */
function sizeOf(path: string, name: string): Sized {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { name, bytes: 0, files: 0 };
  if (!stats.isDirectory()) return { name, bytes: stats.size, files: 1 };
  const within = readdirSync(path).map((each) => sizeOf(join(path, each), each));
  const sum = (count: (of: Sized) => number): number => within.reduce((all, each) => all + count(each), 0);
  return { name, bytes: sum(({ bytes }) => bytes), files: sum(({ files }) => files) };
}

/** The folder, or the nearest one above it that is there. */
function nearest(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? nearest(resolve(path, '..')) : path;
}
