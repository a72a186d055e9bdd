import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { linkage } from '#engagement/model';
import type { Fold } from '#eventsourcing';
import { inventory } from '#purchasing/model';
import { bundledDigests } from './bundled-digests.js';
import { foldDigest } from './fold-digest.js';
import { KEPT_FOLDS } from './kept-folds.js';

/** The deciders of `KEPT_FOLDS`. */
const DECIDERS = { inventory, linkage };

/** The deciders whose streams have snapshots, with the digests of this build. */
export function foldsOfThisBuild(): readonly Fold[] {
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  return Object.entries(DECIDERS).map(([category, decider]) => ({
    decider,
    digest: digestHere(bundledDigests?.[category] ?? foldDigest(root, KEPT_FOLDS[category as keyof typeof KEPT_FOLDS])),
  }));
}

/** The digest together with the version of Node, which reads and writes the parts. */
function digestHere(digest: string): string {
  const [major = ''] = process.versions.node.split('.');
  return createHash('sha256').update(`${digest} ${major}`).digest('hex').slice(0, 32);
}
