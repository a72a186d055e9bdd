/** How big a campaign is: what its environment variable says, or so small that `npm test` stays quick. */
export function size(variable: string, small: number): number {
  const given = process.env[variable];
  return given === undefined ? small : Number(given);
}

/** Milliseconds that a campaign may take: far more than it does, for a hung one is to fail and a slow one is not. */
export function patience(steps: number, millisecondsEach: number): number {
  return 60_000 + steps * millisecondsEach;
}

/** Prints a campaign's counts, so that whoever runs it sees what it saw. Silent within `npm test`. */
export function tell(variable: string, line: string): void {
  if (process.env[variable] !== undefined) process.stdout.write(`    ${line}\n`);
}
