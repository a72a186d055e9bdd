/** How the sandbox treats a card (ruling D8). */
export type Treatment =
  | { readonly kind: 'approve' }
  | { readonly kind: 'decline'; readonly reason: string }
  /** There is no action and no answer until the charge is repeated; then it is approved. */
  | { readonly kind: 'silent at first' }
  /** The charge is approved, but its first answer is lost. */
  | { readonly kind: 'answer lost' };

const TREATMENTS: ReadonlyMap<string, Treatment> = new Map([
  ['4000000000000002', { kind: 'decline', reason: 'the card was declined' }],
  ['4000000000009995', { kind: 'decline', reason: 'insufficient funds' }],
  ['4000000000000119', { kind: 'silent at first' }],
  ['4000000000000259', { kind: 'answer lost' }],
]);

/** A card that is not named here is approved. */
export function treatmentOf(number: string): Treatment {
  return TREATMENTS.get(number) ?? { kind: 'approve' };
}
