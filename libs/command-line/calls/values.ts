import { InvalidArgumentError } from 'commander';
import { COMMAND_LINE, INTEGERS, TEXTS } from '#kernel/bounds';
import { textWithin } from '../arguments.js';
import type { Value } from './call.js';

/** Removes a value. */
const NONE = 'none';

/** A text of a bounded length. */
export const text = (words: string, most: number = TEXTS.line.most): Value => ({ words, parse: textWithin(most) });

/** An id or slug. */
export const id = (words: string, as: string): Value => ({ ...text(words, TEXTS.id.most), as });

/** A whole number within bounds. */
export const integer = (words: string, [least, most]: readonly [number, number] = INTEGERS.count): Value => ({
  words,
  as: 'n',
  parse: (given) => within(given, /^-?\d{1,16}$/, [least, most], 'a whole number'),
});

/** A number within bounds. */
export const decimal = (words: string, bounds: readonly [number, number]): Value => ({
  words,
  as: 'n',
  parse: (given) => within(given, /^-?\d{1,6}(\.\d{1,20})?$/, bounds, 'a number'),
});

/** One of these words. */
export const choice = (words: string, ...choices: readonly string[]): Value => ({
  words,
  choices,
  parse: (given) => {
    const bounded = textWithin(TEXTS.line.most)(given);
    if (choices.includes(bounded)) return bounded;
    throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`);
  },
});

/** `true` or `false`. */
export const yesOrNo = (words: string): Value => {
  const either = choice(words, 'true', 'false');
  return { ...either, parse: (given) => either.parse?.(given) === 'true' };
};

/** An option without a value. */
export const flag = (words: string): Value => ({ words });

/** The same, several times or with commas. */
export const several = (value: Value): Value => ({ ...value, many: true });

/** The same; it must be given. */
export const required = (value: Value): Value => ({ ...value, required: true });

/** The same; the word `none` removes the value. */
export const orNone = ({ parse = String, ...value }: Value): Value => ({
  ...value,
  none: NONE,
  parse: (given) => (given === NONE ? NONE : parse(given)),
});

/** Why a correction is made. The history shows it. */
export const REASON = required(text('why; the history shows it', TEXTS.reason.most));

/** Adds what was given to the earlier values of an option that may be given several times. */
export const oneMore =
  (parse: NonNullable<Value['parse']>) =>
  (given: string, earlier: unknown): readonly ReturnType<typeof parse>[] => {
    const all = [
      ...((earlier as readonly ReturnType<typeof parse>[] | undefined) ?? []),
      ...given.split(',').map(parse),
    ];
    if (all.length > COMMAND_LINE.values)
      throw new InvalidArgumentError(`It takes at most ${COMMAND_LINE.values} values.`);
    return all;
  };

/** @throws InvalidArgumentError if the text is not such a number within the bounds */
function within(given: string, form: RegExp, [least, most]: readonly [number, number], what: string): number {
  const number = Number(given);
  if (form.test(given) && number >= least && number <= most) return number;
  throw new InvalidArgumentError(`It must be ${what} from ${least} to ${most}.`);
}
