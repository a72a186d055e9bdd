/**
 * The categories whose states have snapshots, and the compiled files of `libs` from which everything can be reached that their fold
 * consists of. They hold no personal data: a snapshot is not sealed.
 */
export const KEPT_FOLDS: Readonly<Record<'inventory' | 'linkage', readonly string[]>> = {
  inventory: ['purchasing/inventory/inventory.decider.js', 'purchasing/inventory/inventory.events.js'],
  linkage: ['engagement/card-link/linkage.decider.js', 'engagement/card-link/linkage.events.js'],
};
