import { type Keyring, resealed, SEALED_KINDS, type SealedRows, type Time } from '#eventsourcing';

/** Milliseconds between two parts: whoever sells goes first. */
const REST = 5;

/** What one pass over all rows has found. */
export interface Pass {
  readonly read: number;
  /** Rows that were under another key than the newest, and were sealed again. */
  readonly sealed: number;
  /** Rows that do not open. */
  readonly unreadable: number;
}

/**
 * Seals what is not under the newest key again: one pass over all rows, part by part.
 * @param told after each part
 * @param isOver whether to stop before the next part
 */
export async function sealAgain(
  { rows, keyring, time }: { readonly rows: SealedRows; readonly keyring: Keyring; readonly time: Time },
  told: (pass: Pass) => void,
  isOver: () => boolean,
): Promise<Pass> {
  let pass: Pass = { read: 0, sealed: 0, unreadable: 0 };
  for (const kind of SEALED_KINDS) {
    for (let after: string | undefined; !isOver();) {
      const part = await rows.part(kind, after);
      const others = part.rows.filter(({ sealed }) => sealed.key !== keyring.sealingKey);
      const again = others.flatMap((row) => {
        try {
          return [resealed(keyring, row)];
        } catch {
          return [];
        }
      });
      if (again.length > 0) await rows.reseal(again);
      pass = {
        read: pass.read + part.read,
        sealed: pass.sealed + again.length,
        unreadable: pass.unreadable + others.length - again.length,
      };
      told(pass);
      if (part.next === undefined) break;
      after = part.next;
      await time.pause(REST);
    }
  }
  return pass;
}
