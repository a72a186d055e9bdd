/**
 * The version of the answers to partners. Raise it with each change of a presenter that changes the bytes of an answer, and keep
 * the old presenter in its table: auditors get old answers byte for byte (ruling H6).
 */
export const ANSWERS = 1;

/** The presenters of one answer, by the version of the answers from which on each is used. */
export type Presenters<Present> = Readonly<Record<number, Present>> & { readonly 1: Present };

/** The presenter of present answers. */
export function newestOf<Present>(presenters: Presenters<Present>): Present {
  return presenterOf(presenters, ANSWERS);
}

/** The presenter that a version of the answers uses. */
export function presenterOf<Present>(presenters: Presenters<Present>, version: number): Present {
  const before = Object.keys(presenters).map(Number);
  const newest = Math.max(...before.filter((each) => each <= version));
  return presenters[newest] ?? presenters[1];
}
