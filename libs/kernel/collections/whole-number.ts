/**
 * Returns a whole number from 0 to below a bound. Whatever grows with a number asks first: a huge one would take all memory.
 * @param what words for it, in the error
 * @throws RangeError for any other value
 */
export function wholeNumber(what: string, value: number, below: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= 0 && value < below) return value;
  throw new RangeError(`${what} must be a whole number from 0 to below ${below}, not ${String(value)}`);
}
