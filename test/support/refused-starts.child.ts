import '../../apps/quick-start.js';

const { run } = await import('#platform');

// Each start listens for signals.
process.setMaxListeners(0);
// Starts the service in each environment that it receives, and answers with the text of the refusal, or that there was none.
process.on('message', (environment: Readonly<Record<string, string>>) => {
  run(environment).then(
    () => process.send?.('it started, and has ended'),
    (error: unknown) => process.send?.(error instanceof Error ? error.message : String(error)),
  );
});
