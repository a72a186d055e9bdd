import type { EndOfCopy, EventColumns, KeptLine, StateLine } from '#backup';
import { SESSIONS_ENTRY } from '#console';
import { SECOND } from '#kernel';
import { FOLDER_ENTRY, parseStarts } from '../folder/folder-entries.js';

/** Entries that say where something is in one log: a restored log has no such place. */
const OF_THE_LOG = ['log record', 'log searched', 'self-audit', 'mark', 'marks before'];
/** Whoever had a session signs in again: the token of the session may have been revoked since. */
const NOT_RESTORED = new Set([...OF_THE_LOG, SESSIONS_ENTRY]);
/** What operators have accepted: of streams it stays, of logs that ended at a position it does not. */
const ACCEPTED = 'accepted';

/** Clocks of processes that share a log differ by at most so much, in milliseconds. */
const CLOCKS = 10 * SECOND;

/** What a restore makes of the rows of a backup. */
export class RestoredRows {
  /** Kept answers that are younger than the copy: what they say may be gone. */
  readonly young: { readonly sealed: string; readonly key: number }[] = [];
  starts = 0;

  /**
   * @param end the last event that is restored
   * @param isOtherEngine whether positions in answers mean nothing any more
   */
  constructor(
    private readonly end: Pick<EndOfCopy, 'time'> | undefined,
    private readonly isOtherEngine: boolean,
  ) {}

  /**
   * The rows as the restored installation needs them. A kept answer that is younger than the copy is dropped, but its request
   * keeps its command: a repeat runs under it, and finds its events if they are in the log.
   */
  of(lines: readonly KeptLine[]): readonly StateLine[] {
    return lines.flatMap((line): StateLine[] => {
      if (line.kind === 'ledger' || line.kind === 'erasure') return [];
      if (line.kind === 'entry' && NOT_RESTORED.has(line.name)) return [];
      if (line.kind === 'entry' && line.name === ACCEPTED) return [{ ...line, text: ofStreams(line.text) }];
      if (line.kind === 'entry' && line.name === FOLDER_ENTRY) {
        this.starts = parseStarts(line.text).starts;
        return [];
      }
      if (line.kind !== 'answer') return [line];
      const isYoung = line.since > (this.end?.time ?? 0) - CLOCKS;
      if (line.state === 'gone') return [line];
      if (line.state === 'done' && !isYoung && !this.isOtherEngine) return [line];
      if (line.state === 'done' && isYoung && line.sealed !== null)
        this.young.push({ sealed: line.sealed, key: line.key });
      return [{ ...line, state: 'free', sealed: null, key: 0 }];
    });
  }

  /** The entries that only a restore knows. */
  entries(
    mark: Pick<EventColumns, 'stream' | 'revision' | 'id' | 'position'> & { readonly identity: string },
  ): StateLine[] {
    const { identity, position, stream, revision, id } = mark;
    const text = JSON.stringify({ identity, position: position.toString(), stream, revision, id });
    const starts = JSON.stringify({ starts: Math.max(1, this.starts), settled: true });
    return [
      { kind: 'entry', name: 'mark', text },
      { kind: 'entry', name: FOLDER_ENTRY, text: starts },
    ];
  }
}

function ofStreams(text: string): string {
  const all = JSON.parse(text) as readonly { readonly position?: string }[];
  return JSON.stringify(all.filter(({ position }) => position === undefined));
}
