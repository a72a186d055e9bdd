import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Fold } from '#eventsourcing';
import { deciders } from '../registry.js';
import { bundledDigests } from './bundled-digests.js';
import { foldDigest } from './fold-digest.js';
import { KEPT_FOLDS } from './kept-folds.js';

/** The deciders whose streams have snapshots, with the digests of this build. */
export function foldsOfThisBuild(): readonly Fold[] {
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  return Object.entries(KEPT_FOLDS).map(([category, entries]) => {
    const decider = deciders.find((each) => each.category === category);
    if (decider === undefined) throw new Error(`no context has the decider of ${category}`);
    return { decider, digest: digestHere(bundledDigests?.[category] ?? foldDigest(root, entries)) };
  });
}

/** The digest together with the version of Node, which reads and writes the parts. */
function digestHere(digest: string): string {
  const [major = ''] = process.versions.node.split('.');
  return createHash('sha256').update(`${digest} ${major}`).digest('hex').slice(0, 32);
}
