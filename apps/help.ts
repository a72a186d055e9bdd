const HELP = `Holdfast sells limited deals over REST. Its programs take no arguments: environment variables set them up.

  PORT=3000            where it listens
  DATA_DIR=./data      where everything is kept
  LOG_LEVEL=info       what the log on standard error tells

.env.example names every variable with its default, and docs/operating.md explains them. What operators do to a running
service: npm run ops -- --help
`;

/** Prints what a program takes, and ends it, where its command line asks for that: nothing is started. */
export function helpWhereAsked(): void {
  if (!process.argv.slice(2).some((each) => each === '--help' || each === '-h')) return;
  process.stdout.write(HELP);
  process.exit(0);
}
