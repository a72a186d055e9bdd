import '../quick-start.js';

// Imports after quick-start use its cache and its bundle.
const { runSandboxGateway } = await import('#platform/sandbox-gateway');

// The sandbox gateway, which moves no money, as a separate process.
runSandboxGateway(process.env).catch((error: unknown) => {
  process.stderr.write(
    `The sandbox gateway did not start: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
});
