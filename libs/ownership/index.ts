// `#ownership`: whose log it is. Its door is `openOwnedLog()`; what stands beside the log has checks of its own.
export * from './open-owned-log.js';
export * from './log-reports.js';
export type { Check } from './log-guard.js';
export { LogGuard } from './log-guard.js';
export { WatchedLog } from './watched-log.js';
export { CLOCKS_DIFFER, ClockWatch } from './clock/clock-watch.js';
export * from './keys-behind.js';
export * from './known-log.js';
export { readMark } from './log-mark.js';
export { INSTALLATION_ENTRY } from './ownership.js';
export * from './survey-log.js';
export * from './ledger/kept-ledger.js';
export * from './ledger/ledger-entry.js';
export { ledgerFinding } from './ledger/ledger-findings.js';
export { type KeptLedger, LedgerWatch } from './ledger/ledger-watch.js';
