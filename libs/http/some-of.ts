import { z } from 'zod';
import { text } from './parameters.js';

/** Some of these values, with commas between them or as a list (ruling A2). A value that is given twice counts once. */
export const someOf = <T extends string>(known: readonly T[]): z.ZodType<readonly T[]> =>
  z.preprocess(
    (input) => (Array.isArray(input) ? input.join(',') : input),
    text('line').transform((given, context) => {
      const words = [...new Set(given.split(','))];
      if (words.every((word): word is T => (known as readonly string[]).includes(word))) return words;
      context.addIssue({ code: 'custom', message: `must be one or more of ${known.join(', ')}` });
      return z.NEVER;
    }),
  );
