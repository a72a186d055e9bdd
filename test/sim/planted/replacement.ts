/** One change of a source file. */
export interface Replacement {
  /** From the root of the tree. */
  readonly file: string;
  /** A text that occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

/** A fault that is planted on purpose: the checks of the simulation must find it. */
export interface Planted {
  readonly id: string;
  readonly description: string;
  readonly replacements: readonly Replacement[];
}

/** How often a text occurs in another, without overlaps. */
export function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

/**
 * The source text with one change.
 * @throws Error if the text to replace does not occur exactly once: the source has changed, and the fault needs a new place
 */
export function replaced(source: string, { file, from, to }: Replacement): string {
  const found = occurrences(source, from);
  if (found !== 1) {
    throw new Error(
      `${file} has this text ${found} times, not once; test/README.md says what to do (planted faults):\n${from}`,
    );
  }
  const at = source.indexOf(from);
  return source.slice(0, at) + to + source.slice(at + from.length);
}
