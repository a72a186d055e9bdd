const HELP = `Holdfast sells limited deals over REST. Its programs take no arguments: environment variables configure them.

  PORT=3000            the port that it listens on
  DATA_DIR=./data      the folder of all its data
  LOG_LEVEL=info       the lowest level of the log on standard error

.env.example names every variable with its default, and docs/operating.md explains them. For operators of a running
service: npm run ops -- --help
`;

/** If the command line asks for help, prints it and ends the program before anything starts. */
export function helpWhereAsked(): void {
  if (!process.argv.slice(2).some((each) => each === '--help' || each === '-h')) return;
  process.stdout.write(HELP);
  process.exit(0);
}
