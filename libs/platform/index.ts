export { type Config, readConfig } from './config.js';
export { createHttpApp } from './http-app.js';
export { type ReadFolder, readFolder, type WaitingReader } from './read-folder.js';
export { type BackupHearer, type BackupOrder, runBackup } from './backup/run-backup.js';
export { runOrderedBackup } from './backup/run-ordered.js';
export { runDrill } from './backup/run-drill.js';
export { runRestore } from './backup/run-restore.js';
export { run, runWorker } from './run.js';
export { openService, type Service } from './service.js';
export { untilReady } from './readiness.js';
export { categories, codec, views } from './registry.js';
export { auditPass } from './audit/audit-pass.js';
export type { Engine } from './engine.js';
export type { Engines } from './engines/engines.js';
export type { LogEvents } from './engines/log-engine.js';
export type {
  ProjectorListener,
  ProjectorThreadData,
  RunningProjector,
  StartProjector,
} from './projector/projector-thread.js';
export { realSurroundings, type Surroundings } from './surroundings.js';
export { newProjector } from './projector/new-projector.js';
export { describe, type Diagnosis, diagnose, unknownNames } from './doctor/index.js';
