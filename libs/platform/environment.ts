import { z } from 'zod';
import { MINUTE } from '#kernel';
import { SETTINGS, type SettingSort } from '#kernel/bounds';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A text of at most as many characters as its kind allows. A longer one is refused without further checks. */
export const text = (sort: SettingSort): z.ZodString =>
  z.string().max(SETTINGS[sort], { error: `must have at most ${SETTINGS[sort]} characters`, abort: true });

export const flag = (preset: boolean): z.ZodType<boolean, string | undefined> =>
  z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default(preset ? 'true' : 'false')
    .transform((value) => value === 'true');

/** A whole number in digits, from 0. An empty text is not a number. */
export const whole = (max: number, error: string): z.ZodType<number, string> => wholeFrom(0, max, error);

/** A whole number in digits. */
export const wholeFrom = (min: number, max: number, error: string): z.ZodType<number, string> =>
  text('word')
    .regex(/^\d+$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(min, { error }).max(max, { error }));

/** A fraction from 0 to 1. */
export const share = (error: string): z.ZodType<number, string> =>
  text('word')
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, { error })
    .transform(Number);

/** A time of day such as 13:30, as milliseconds after midnight. */
export const timeOfDay = (error: string): z.ZodType<number, string> =>
  text('word')
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error })
    .transform((setting) => Number(setting.slice(0, 2)) * 60 * MINUTE + Number(setting.slice(3)) * MINUTE);

export const filled = (sort: SettingSort, error: string): z.ZodType<string, string> => text(sort).min(1, { error });

/** The lowest level that the log writes. */
export const logLevel = z
  .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
    error: 'must be fatal, error, warn, info, debug or silent',
  })
  .default('info');

/**
 * Reads the environment with a schema.
 * @throws Error that names each wrong variable and says what it should be
 */
export function readEnvironment<T>(schema: z.ZodType<T>, environment: Environment): T {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new Error(`Invalid environment: ${faults.join('; ')}.`);
}
