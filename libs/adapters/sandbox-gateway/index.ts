export * from './http-sandbox-gateway.js';
export {
  lookAtLedger,
  readLedger,
  type CancelLine,
  type ChargeLine,
  type LedgerLine,
  type LedgerLook,
  type LedgerMark,
  type RefundLine,
} from './ledger-line.js';
export * from './sandbox-gateway.js';
export * from './sandbox-server.js';
