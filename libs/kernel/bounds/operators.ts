/**
 * Bounds of operators' input (files, environment, command line) and of other programs' answers. Longer input is refused by
 * name before it is used.
 */
import { HEADERS } from './calls.js';

/** Bytes of a file that is read as a whole. */
export const FILES = {
  /** `master.key`. */
  masterKey: 4_096,
  /** `operator.token`, `auditor.token` and the file of `--token-file`. */
  tokenFile: 4_096,
  /** `TLS_CERT`, `TLS_KEY` and the files that `EVENTSTORE_URL` names: a certificate with all its issuers. */
  pem: 1024 * 1024,
  /** `holdfast.json`, and `backup.json` of a backup. */
  manifest: 65_536,
  /** What says in a data folder that a restore works there. */
  restoring: 65_536,
  /** The file of `--settings`. */
  settings: 262_144,
  /** The file that says which generation of a view is read. */
  standing: 4_096,
  /** `GEOIP_DB`. */
  geoip: 1024 * 1024 * 1024,
  /** `backup.json`, with a line for each 50,000 events. */
  backup: 256 * 1024 * 1024,
  /** A segment or a state file of a backup. */
  backupPart: 128 * 1024 * 1024,
  /** The sandbox gateway's ledger, with a line for every charge and refund. It is read into one text. */
  ledger: 500 * 1024 * 1024,
  /** `ERASURES_FILE`, with a line for every person who was erased. It is read into one text. */
  erasures: 256 * 1024 * 1024,
} as const satisfies Readonly<Record<string, number>>;

/** Characters of an environment variable, by its content. */
export const SETTINGS = {
  /** A number, a word, a time, a key. */
  word: 100,
  /** A machine's name (RFC 1035) or address. */
  host: 253,
  path: 4_096,
  url: 2_000,
  /** A server's connection string: all hosts and the client's options. */
  connection: 8_000,
  /** A name and an address. */
  sender: 320,
  /** Ranges of proxies, codes of findings. */
  several: 20_000,
} as const satisfies Readonly<Record<string, number>>;
export type SettingSort = keyof typeof SETTINGS;

/** Characters of an operator's or auditor's token. It must fit its header. */
export const TOKEN_LENGTH = [32, HEADERS.Authorization - 'Bearer '.length] as const;

/** The console in a browser. */
export const CONSOLE = {
  /** Milliseconds without a call after which a session ends. */
  idle: 30 * 60_000,
  /** Milliseconds after which it ends in any case. */
  lasts: 12 * 60 * 60_000,
  /** Sessions of one token: a new one ends the one that was used least recently. */
  ofToken: 20,
  /** Sessions in all, by the same rule. */
  sessions: 200,
  /** Streams of live values that a process sends at a time. */
  streams: 256,
  /** Those of one session: a browser has six connections to one host. */
  streamsOfSession: 6,
} as const satisfies Readonly<Record<string, number>>;

/** `npm run ops`. */
export const COMMAND_LINE = {
  /** Arguments and options in all. */
  parts: 40,
  /** Characters of a file name. Other arguments have the bounds that they have elsewhere. */
  part: SETTINGS.path,
  /** Values of an option that may be given several times. */
  values: 100,
  /** The highest number of a generation that a command takes. */
  generation: 999_999_999,
  /** Bytes of an answer: far more than ours have, and too few to fill the caller's memory. */
  answer: 8 * 1024 * 1024,
  /** Milliseconds to wait for an answer: an order waits ten seconds for the projector. */
  wait: 30_000,
  /** Milliseconds to wait for the next piece of the answer to an import: a long one tells seldom how far it is. */
  importWait: 600_000,
} as const;

/** Bytes of a request to the sandbox gateway and of its answer. A charge has a few hundred. */
export const GATEWAY_BODY = 16_384;
