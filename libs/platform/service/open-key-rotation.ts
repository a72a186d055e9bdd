import type { Logger } from 'pino';
import type { AnswerForm, PublicUrl } from '#http';
import { noteForm } from '#operations';
import type { Config } from '../config.js';
import { stateEngineOf } from '../engines/state-engines.js';
import { KeyRotation } from '../keys/key-rotation.js';
import { MasterKeyFiles } from '../keys/master-key-files.js';
import type { OpenedEngine } from './open-engine.js';

/** What rotates the keys of the installation. It does nothing before it is started. */
export function openKeyRotation(
  config: Config,
  { engines, engine, owned: { guard } }: OpenedEngine,
  { publicUrl, form }: { readonly publicUrl: PublicUrl; readonly form: AnswerForm },
  logger: Logger,
): KeyRotation {
  const { writer, time, randomness } = engine;
  const { role, dataDir, masterKey } = config;
  return new KeyRotation({
    live: engines.liveKeys,
    rows: engines.sealed,
    guard,
    writer,
    time,
    randomness,
    logger,
    files: new MasterKeyFiles(dataDir),
    ownsMasterKey: role === 'all' && masterKey === undefined,
    isAlone: role === 'all',
    isShared: !stateEngineOf(config).inFolder,
    leases: engines.shared?.leases,
    async signWith(number) {
      if (role === 'worker') return () => undefined;
      const noted = await noteForm(writer, number, publicUrl);
      return () => void (form.number = noted);
    },
  });
}
