import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedLog } from '#adapters/embedded';
import type { LogEngine } from './log-engine.js';

const fileIn = ({ dataDir }: { readonly dataDir: string }): string => join(dataDir, 'events.db');

/** The log as a file of the data folder. */
export const embeddedLog: LogEngine = {
  inFolder: true,
  demo: true,
  server: () => undefined,
  refuseOthers: () => Promise.resolve(),
  existing(config) {
    const file = fileIn(config);
    return Promise.resolve(existsSync(file) ? `the event log ${file} exists` : undefined);
  },
  async open(config, _keyValues, on) {
    const file = fileIn(config);
    const log = await EmbeddedLog.open({
      file,
      splitAppends: config.splitAppends,
      failpoint: config.failpoint,
      onAppended: () => on.appended(),
      onFailed: (error) => on.failed(error),
      onHindered: (reason) => on.hindered(reason),
    });
    return { log, location: { engine: 'embedded', file } };
  },
};
