/** The name of the sandbox gateway's ledger in a data folder. */
export const LEDGER_FILE = 'sandbox-gateway.jsonl';
