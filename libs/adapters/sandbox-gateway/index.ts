export {
  entryOf,
  inspectLedger,
  readLedger,
  type CancelLine,
  type ChargeLine,
  type LedgerLine,
  type LedgerInspection,
  type RefundLine,
} from './ledger-line.js';
export * from './sandbox-gateway.js';
