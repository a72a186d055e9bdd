import { type LedgerMark, type OwnedLog, findingOf, type Finding } from '#eventsourcing';

/**
 * The finding that the gateway keeps another ledger than the one that knows the log's charges. Its code is the same wherever
 * it is found.
 * @param known the ledger that the installation knows
 * @param found the present ledger; null if the gateway names none
 * @param file the ledger's file, if known
 */
export function ledgerFinding(known: string, found: string | null, file?: string): Finding {
  const place = file === undefined ? 'The payment gateway keeps' : `${file} is`;
  const is =
    found === null ? 'The payment gateway names no ledger' : `${place} the ledger of another installation (${found})`;
  return findingOf(
    'ledger',
    `${is}, but the charges of this event log are in another one (${known}): put that one back, or correct the ` +
      'setting that names the gateway.',
    [known, found],
  );
}

/** The finding that the gateway's ledger lacks something that it reported before. @param there undefined: it does not say */
export function olderLedgerFinding(known: LedgerMark, there: LedgerMark | undefined): Finding {
  const [lacks, is] =
    there !== undefined && there.size >= known.size
      ? ['has another history', `the known line that ends at byte ${known.size} is not there`]
      : ['is an older copy', `it ends at byte ${there?.size ?? 0}, but had ${known.size} bytes before`];
  return findingOf(
    'older ledger',
    `The ledger of the payment gateway (${known.identity}) ${lacks}: ${is}. Put the right one back.`,
    [known.identity, known.size, known.digest, there?.size ?? null, there?.digest ?? null],
  );
}

/**
 * The finding that the gateway has done something that the log does not know: an older copy of the log, and of what is kept
 * beside it, was put back.
 * @param lines how many, the names of the first ones, and the digest of all names
 */
export function unknownLinesFinding(
  identity: string,
  { count, first, digest }: { readonly count: number; readonly first: readonly string[]; readonly digest: string },
): Finding {
  const more = count > first.length ? `, and ${count - first.length} more` : '';
  return findingOf(
    'ledger lines',
    `The event log is older than the ledger of the payment gateway (${identity}): it does not know ${count} of its lines, ` +
      `such as ${first.join(', ')}${more}. Put the log and the keys back that belong to it (the whole data folder, or the ` +
      'log and the database), and start again.',
    [identity, count, digest],
  );
}

/**
 * Compares the gateway's ledger with the one that the log's owner names. If the log names none, or the operator accepts the
 * other ledger, the log takes the present one.
 * @param found the ledger that the gateway names now; undefined if it names none
 * @param takes whether a finding is accepted
 * @throws Unavailable if the log cannot be asked
 */
export async function checkLedger(
  log: Pick<OwnedLog, 'record' | 'own'>,
  found: string | undefined,
  takes: (finding: Finding) => boolean,
): Promise<Finding | undefined> {
  for (;;) {
    const owner = (await log.record())?.owner;
    // `OwnerCheck` finds out whose log it is.
    if (owner === undefined || owner.ledger === found) return undefined;
    const { ledger: known, ...rest } = owner;
    const finding = known === undefined ? undefined : ledgerFinding(known, found ?? null);
    if (finding !== undefined && !takes(finding)) return finding;
    if (await log.own(owner, found === undefined ? rest : { ...rest, ledger: found })) return undefined;
  }
}
