import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Branch } from './branches.js';

/** Why no world reaches some branches of a file. */
export interface Reason {
  readonly file: string;
  /** As `Branch.name` says it. */
  readonly branches: readonly string[];
  /** What would have to happen, or why nothing can. */
  readonly why: string;
  /** The spec that does it; absent if the compiler alone asks for the branch, or `why` says that no spec does it. */
  readonly spec?: string;
}

/** What the branches and the reasons say together. */
export interface Verdict {
  /** In words, one after another. */
  readonly lines: readonly string[];
  /** Whether every branch that no world reached has a reason, and every reason a branch and a spec. */
  readonly isGood: boolean;
}

/**
 * Compares the branches with the reasons.
 * @param root the root of the tree
 */
export function judge(branches: readonly Branch[], reasons: readonly Reason[], root: string): Verdict {
  const reasonFor = ({ file, name }: Branch): Reason | undefined =>
    reasons.find((each) => each.file === file && each.branches.includes(name));
  const place = ({ file, line, name }: Branch): string => `${file}:${line}  ${name}`;
  const unreached = branches.filter(({ reached }) => !reached);
  const open = unreached.filter((each) => reasonFor(each) === undefined);
  const inVain = branches.filter((each) => each.reached && reasonFor(each) !== undefined);
  const gone = reasons.flatMap(({ file, branches: names }) =>
    names
      .filter((name) => !branches.some((each) => each.file === file && each.name === name))
      .map((name) => [file, name]),
  );
  const missing = reasons.flatMap(({ spec }) => (spec === undefined || existsSync(join(root, spec)) ? [] : [spec]));
  const lines = [
    `${branches.length - unreached.length} of ${branches.length} branches reached; the others:`,
    ...unreached.flatMap((each) => [place(each), `    ${whyOf(reasonFor(each))}`]),
    ...inVain.map((each) => `reached, although a reason says why not: ${place(each)}`),
    ...gone.map(([file, name]) => `a reason for a branch that does not exist: ${file}  ${name}`),
    ...new Set(missing.map((spec) => `a reason names a spec that does not exist: ${spec}`)),
  ];
  return { lines, isGood: open.length === 0 && gone.length === 0 && missing.length === 0 };
}

function whyOf(reason: Reason | undefined): string {
  if (reason === undefined) return 'NO REASON GIVEN';
  return reason.spec === undefined ? reason.why : `${reason.why} (${reason.spec})`;
}
