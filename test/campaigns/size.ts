/** The size of a campaign: from its environment variable, or so small that `npm test` stays fast. */
export function size(variable: string, small: number): number {
  const value = process.env[variable];
  return value === undefined ? small : Number(value);
}

/** Milliseconds for a campaign: far more than it needs, because a hung one should fail and a slow one should not. */
export function patience(steps: number, millisecondsEach: number): number {
  return 300_000 + steps * millisecondsEach;
}

/** Prints a campaign's counts for whoever runs it. Silent within `npm test`. */
export function tell(variable: string, line: string): void {
  if (process.env[variable] !== undefined) process.stdout.write(`    ${line}\n`);
}
