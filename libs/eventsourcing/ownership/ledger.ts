import type { LedgerMark } from '../ports/ledger-mark.js';
import type { OwnedLog } from '../ports/owned-log.js';
import { type Finding, findingOf } from './finding.js';

/**
 * What is found where the gateway keeps another ledger than the one that knows the log's charges: the same code wherever it
 * is found.
 * @param known the one that the installation knows
 * @param found the one that is there; null: the gateway names none
 * @param file the file that it is in, where that is known
 */
export function ledgerFinding(known: string, found: string | null, file?: string): Finding {
  const place = file === undefined ? 'The payment gateway keeps' : `${file} is`;
  const is =
    found === null ? 'The payment gateway names no ledger' : `${place} the ledger of another installation (${found})`;
  return findingOf(
    `${is}, where the charges of this event log are in another one (${known}): put that one back, or correct the ` +
      'setting that names the gateway. Accepting it loses what only the other ledger knows: a refund of such a charge is ' +
      'refused, and a charge that is under way may be made again.',
    ['ledger', known, found],
  );
}

/** What is found where the gateway's ledger lacks something that it has told of. @param there undefined: it does not say */
export function olderLedgerFinding(known: LedgerMark, there: LedgerMark | undefined): Finding {
  const [lacks, is] =
    there !== undefined && there.size >= known.size
      ? ['has another history', `what is told of byte ${known.size} is not there`]
      : ['is an older copy of what it was', `it ends at byte ${there?.size ?? 0}, and has been at ${known.size}`];
  return findingOf(
    `The ledger of the payment gateway (${known.identity}) ${lacks}: ${is}. Put the right one back. Accepting it loses what ` +
      'only that one knows: a refund of such a charge is refused, and a charge that is under way may be made again.',
    ['older ledger', known.identity, known.size, known.digest, there?.size ?? null, there?.digest ?? null],
  );
}

/**
 * Compares the gateway's ledger with the one that the log names as its owner's. A log that names none takes the one there,
 * and so does one whose operator accepts that.
 * @param found what the gateway says now; undefined where it names none
 * @param takes whether a finding is accepted
 * @throws Unavailable when the log cannot be asked
 */
export async function checkLedger(
  log: Pick<OwnedLog, 'record' | 'own'>,
  found: string | undefined,
  takes: (finding: Finding) => boolean,
): Promise<Finding | undefined> {
  for (;;) {
    const owner = (await log.record())?.owner;
    // Whose log it is, is found elsewhere.
    if (owner === undefined || owner.ledger === found) return undefined;
    const { ledger: known, ...rest } = owner;
    const finding = known === undefined ? undefined : ledgerFinding(known, found ?? null);
    if (finding !== undefined && !takes(finding)) return finding;
    if (await log.own(owner, found === undefined ? rest : { ...rest, ledger: found })) return undefined;
  }
}
