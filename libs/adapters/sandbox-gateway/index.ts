export {
  lookAtLedger,
  readLedger,
  type CancelLine,
  type ChargeLine,
  type LedgerLine,
  type LedgerLook,
  type RefundLine,
} from './ledger-line.js';
export * from './sandbox-gateway.js';
