/** What sort of contradiction it is. `FINDING_KINDS` says what is true of each. */
export type FindingKind =
  | 'accepted elsewhere'
  | 'back'
  | 'clock'
  | 'cut'
  | 'empty'
  | 'gap'
  | 'hole'
  | 'identity'
  | 'key store'
  | 'keys'
  | 'keys behind'
  | 'lease'
  | 'ledger'
  | 'ledger lines'
  | 'lost'
  | 'manifest'
  | 'mark'
  | 'moved'
  | 'older ledger'
  | 'order'
  | 'owner'
  | 'starts'
  | 'stranger'
  | 'tombstone'
  | 'too many'
  | 'unknown stream'
  | 'unowned'
  | 'unreadable'
  | 'view';

/**
 * A contradiction to the claim that the log, or a stream of it, is whole and ours. What it concerns accepts no decisions
 * until an operator accepts the finding by its code, in the setting ACCEPT.
 */
export interface Finding {
  /** Identifies exactly this finding: a setting that stays in place never accepts the next one. */
  readonly code: string;
  readonly kind: FindingKind;
  /** The stream that it concerns; undefined means the whole log. */
  readonly stream: string | undefined;
  /** For a stream with a gap: the first revision that it lacks. */
  readonly from?: number;
  /** For a stream with a gap: it lacks events below this revision. */
  readonly below?: number;
  /** For an event that is not ours: its revision. Once the event is accepted, the stream lacks this revision. */
  readonly at?: number | undefined;
  /** For a view ahead of the log: the event that it has seen last. Its position is in digits, because the service’s log shows it. */
  readonly seen?: { readonly position: string; readonly event: string };
  /** For operators: what was found, and what accepting it loses. */
  readonly words: string;
}
