/**
 * Bounds of what operators give: files, the environment, the command line; and of what other programs answer. What is longer
 * is refused by name, before anything is made of it.
 */
import { HEADERS } from './calls.js';

/** Bytes of a file that is read whole. */
export const FILES = {
  /** `master.key`. */
  masterKey: 4_096,
  /** `operator.token`, `auditor.token`, and what `--token-file` names. */
  tokenFile: 4_096,
  /** `TLS_CERT`, `TLS_KEY` and those that `EVENTSTORE_URL` names: a certificate with all its issuers. */
  pem: 1024 * 1024,
  /** `holdfast.json`. */
  manifest: 65_536,
  /** Which generation of a view is read. */
  standing: 4_096,
  /** `GEOIP_DB`. */
  geoip: 1024 * 1024 * 1024,
  /** The sandbox gateway's ledger, which has a line for every charge and refund; it becomes one text. */
  ledger: 500 * 1024 * 1024,
} as const satisfies Readonly<Record<string, number>>;

/** Characters of a variable of the environment, by what it holds. */
export const SETTINGS = {
  /** A number, a word, a time, a key. */
  word: 100,
  /** A name of a machine (RFC 1035), or an address. */
  host: 253,
  path: 4_096,
  url: 2_000,
  /** How a server is reached: all its hosts, with what its client takes. */
  connection: 8_000,
  /** Ranges of proxies, codes of findings. */
  several: 20_000,
} as const satisfies Readonly<Record<string, number>>;
export type SettingSort = keyof typeof SETTINGS;

/** Characters of an operator's or auditor's token: it must fit the header that it is sent in. */
export const TOKEN_LENGTH = [32, HEADERS.Authorization - 'Bearer '.length] as const;

/** `npm run ops`. */
export const COMMAND_LINE = {
  /** Arguments and options in all. */
  parts: 20,
  /** Characters of one that names a file; of one that names anything else, what that may have elsewhere. */
  part: SETTINGS.path,
  /** The last number of a generation that may be asked for. */
  generation: 999_999_999,
  /** Bytes of an answer: far more than any of ours, and nothing that fills the memory of whoever asks. */
  answer: 8 * 1024 * 1024,
  /** Milliseconds that an answer is waited for: an order waits ten seconds for the projector. */
  wait: 30_000,
} as const;

/** Bytes of what the sandbox gateway is asked, and of what it answers: a charge has a few hundred. */
export const GATEWAY_BODY = 16_384;
