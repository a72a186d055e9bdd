import type { Position } from '#kernel';
import type { Finding } from '../ports/finding.js';

/** The losses that an operator has accepted. */
export interface AcceptedLoss {
  /** The codes that were accepted at this start. */
  readonly codes: ReadonlySet<string>;
  /** The ends of logs that were accepted, now or before. */
  readonly logsAt: readonly Position[];
  /** The streams of findings that were accepted at earlier starts: what they lack is known. */
  readonly streams: ReadonlySet<string>;
}

/** Whether an operator has accepted that the log lacks what a reader found missing while it read the log in order. */
export function isMissingKnown({ code, stream }: Finding, { codes, streams }: AcceptedLoss): boolean {
  return codes.has(code) || (stream !== undefined && streams.has(stream));
}

/** Whether an operator has accepted that the log lacks the event at this position, which a view or a snapshot has seen. */
export function isLossKnown({ code }: Finding, seen: Position, { codes, logsAt }: AcceptedLoss): boolean {
  return codes.has(code) || logsAt.some((position) => position < seen);
}
