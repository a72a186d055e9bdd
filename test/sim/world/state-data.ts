import { ANSWER_KEPT_FOR, type Begun, RUNNING_FREES_AFTER, type Sealed } from '#eventsourcing';
import type { Instant } from '#kernel';

interface RecordRow {
  readonly fingerprint: string;
  readonly commandId: string;
  readonly state: 'running' | 'done' | 'free' | 'gone';
  readonly since: Instant;
  readonly answer?: Sealed;
  readonly person?: string;
}

/** A stored `Begun`: its answer is sealed. */
export type StoredBegun = Exclude<Begun, { kind: 'kept' }> | { readonly kind: 'kept'; readonly answer: Sealed };

/** What a key store has on disk: entries, persons' keys, secrets and kept answers. Without time and faults. */
export class StateData {
  readonly keyValues = new Map<string, string>();
  /** Sealed; null for a destroyed one. */
  readonly personKeys = new Map<string, Sealed | null>();
  readonly secrets = new Map<string, Sealed>();
  readonly records = new Map<string, RecordRow>();

  insert(name: string, text: string): string {
    if (!this.keyValues.has(name)) this.keyValues.set(name, text);
    return this.keyValues.get(name) ?? text;
  }

  replace(name: string, expected: string, text: string): boolean {
    if (this.keyValues.get(name) !== expected) return false;
    this.keyValues.set(name, text);
    return true;
  }

  obtainKey(person: string, candidate: Sealed): Sealed | null {
    if (!this.personKeys.has(person)) this.personKeys.set(person, candidate);
    return this.personKeys.get(person) ?? null;
  }

  begin(record: string, fingerprint: string, commandId: string, now: Instant): StoredBegun {
    const row = this.records.get(record);
    const run = (id: string): StoredBegun => {
      this.records.set(record, { fingerprint, commandId: id, state: 'running', since: now });
      return { kind: 'run', commandId: id };
    };
    if (row === undefined || now >= row.since + ANSWER_KEPT_FOR) return run(commandId);
    if (row.fingerprint !== fingerprint) return { kind: 'different' };
    if (row.state === 'gone') return { kind: 'erased' };
    if (row.state === 'done' && row.answer !== undefined) return { kind: 'kept', answer: row.answer };
    if (row.state === 'running' && now < row.since + RUNNING_FREES_AFTER) return { kind: 'running' };
    return run(row.commandId);
  }

  renew(record: string, now: Instant): void {
    const row = this.records.get(record);
    if (row?.state === 'running') this.records.set(record, { ...row, since: now });
  }

  keep(
    record: string,
    answer: Sealed,
    now: Instant,
    shows: { readonly key: string; readonly name: string } | null,
  ): void {
    const row = this.records.get(record);
    if (row === undefined || row.state === 'done' || row.state === 'gone') return;
    const { answer: _, ...rest } = row;
    if (shows !== null && this.personKeys.get(shows.key) === null) {
      this.records.set(record, { ...rest, state: 'gone', since: now });
    } else {
      this.records.set(record, { ...rest, state: 'done', answer, since: now, ...(shows && { person: shows.name }) });
    }
  }

  erase(person: string): number {
    const shown = [...this.records].filter(([, row]) => row.person === person && row.state === 'done');
    for (const [name, { answer: _, ...row }] of shown) this.records.set(name, { ...row, state: 'gone' });
    return shown.length;
  }

  free(record: string): void {
    const row = this.records.get(record);
    if (row?.state === 'running') this.records.set(record, { ...row, state: 'free' });
  }
}
