export * from './http-sandbox-gateway.js';
export { readLedger, type CancelLine, type ChargeLine, type LedgerLine, type RefundLine } from './ledger-line.js';
export * from './sandbox-gateway.js';
export * from './sandbox-server.js';
