import '../quick-start.js';

// What is loaded from here on is found and compiled quickly.
await import('reflect-metadata');
const { runSandboxGateway } = await import('#platform/sandbox-gateway');

// The gateway that moves no money, beside the service instead of within it.
runSandboxGateway(process.env).catch((error: unknown) => {
  process.stderr.write(
    `The sandbox gateway did not start: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
});
