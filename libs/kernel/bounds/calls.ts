/**
 * The bounds of everything that callers send. The schemas enforce them and `/openapi.json` shows them. docs/bounds.md explains
 * them to callers, and lists all waiting times.
 */

/** The bounds of a text. */
interface TextBound {
  /** Characters, as UTF-16 counts them. */
  readonly most: number;
  /** It may have line breaks and tabs. Every other control character is refused everywhere. */
  readonly lines?: true;
  /** It names something that exists. A value that is too long gets the same answer as an unknown id (ruling A8). */
  readonly names?: true;
  /** It must have more than white space: somebody reads it later. */
  readonly said?: true;
}

/** Texts. `line` is for every text that no other name fits. */
export const TEXTS = {
  /** Ids and slugs of things that exist. */
  id: { most: 200, names: true },
  /** Names of people, places and things; sessions; search words of lists; references of transactions. */
  line: { most: 255 },
  /** Longer than every country's postal codes. */
  zip: { most: 20 },
  /** A partner's own token for a user. */
  token: { most: 1_000 },
  /** An operator's reason. */
  reason: { most: 1_000, lines: true, said: true },
  /** Short notes, such as the opening hours of a place. */
  note: { most: 1_000, lines: true },
  /** Descriptions of a deal. */
  prose: { most: 20_000, lines: true },
  link: { most: 2_000 },
  /** What a till has scanned: a redemption URL is the longest. Scanners add line breaks. */
  scanned: { most: 2_100, lines: true },
  /** A keyword of a v3 list: the address of the next page repeats it. */
  keyword: { most: 4_000 },
  // The event of a sale holds the next two, a `line` and an image's `link`. Even with the most units, and a code for each, it
  // fits one append, and so do the events that follow. So every hold that has not expired can be claimed.
  title: { most: 1_000 },
  /** A redemption code. */
  code: { most: 100 },
  /** The name of a partner's key. */
  label: { most: 100 },
} as const satisfies Readonly<Record<string, TextBound>>;
export type TextName = keyof typeof TEXTS;

/** Characters of an id, slug, place or address in a path. The service cuts a longer one, and so does not find it (ruling A8). */
export const LONGEST_IN_PATH = 254;

/** Characters of `X-Forwarded-For` that count, from its end: some forty addresses. */
export const FORWARDED = 2_000;

/** Characters of a password: a longer one takes longer to hash. */
export const LONGEST_PASSWORD = 1_000;

/** Characters of an e-mail address (RFC 5321), and of an ISO 8601 time with fractions and offset. */
export const LONGEST_EMAIL = 254;
export const LONGEST_TIME = 40;

/** The largest integer that a number holds exactly. */
const EXACT = Number.MAX_SAFE_INTEGER;

/** Integers: the least and the most. */
export const INTEGERS = {
  any: [-EXACT, EXACT],
  /** How many units, users or purchases. */
  count: [0, EXACT],
  some: [1, EXACT],
  /** At most as much as keeps the amount of the largest purchase (1000 units) exact. */
  cents: [0, 1_000_000_000_000],
  /** The price that a buyer has seen. Any integer: the decider refuses every price but the current one. */
  seenCents: [-EXACT, EXACT],
  /** Credits of a user; the price range of a list. */
  anyCents: [0, EXACT],
  percent: [0, 100],
  /** Days that a voucher is valid: up to a century. */
  days: [1, 36_500],
  month: [1, 12],
  /** Seconds that an access token counts: up to 30 days (ruling I10). */
  lifetime: [1, 2_592_000],
  /** Seconds that a token of an operator or auditor counts: at most 366 days. */
  tokenLifetime: [1, 31_622_400],
  /** Four digits. */
  year: [1_000, 9_999],
  /** A ZIP that comes as a number, and so without the zeros in front of it. */
  zip: [501, 99_999],
  page: [1, EXACT],
  perPage: [1, 1_000],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;
export type IntegerName = keyof typeof INTEGERS;

/** Units of one purchase (ruling D2): the decider refuses others, with the message of the interface. */
export const UNITS = [1, 1_000] as const;

/** The units of one deal that a user may hold at the same time by access tokens (ruling I9): they cost the user nothing. */
export const TOKEN_HOLD_UNITS = 10;

/** Floats: the least and the most. */
export const FLOATS = {
  latitude: [-90, 90],
  longitude: [-180, 180],
  /** Miles: half the circumference of the earth. */
  miles: [0, 12_500],
  score: [0, 5],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;
export type FloatName = keyof typeof FLOATS;

/** Elements of a list. The service counts them before it reads the first one. */
export const LISTS = {
  /** Names in a `filter` parameter. */
  filters: 20,
  /** Slugs in a parameter that filters a list of deals. */
  slugs: 100,
  /** Deals that one call links a user to: it makes one link after another. */
  deals: 100,
  /** Users of a targeted-email batch. */
  recipients: 1_000,
  tags: 100,
  locations: 1_000,
  /** Conditions of a v3 filter: they become one query, and stores bound the size of a query. */
  conditions: 100,
  /** Redemption codes that one call adds. */
  codes: 10_000,
  /** Series of metrics that one answer shows. */
  series: 50,
} as const satisfies Readonly<Record<string, number>>;
export type ListName = keyof typeof LISTS;

/** Users of a partner who are in targeted-email batches of one day. */
export const MOST_SCHEDULED = 10_000;

/**
 * Users of all batches that a partner has made for one day, cancelled ones included. They stay in the day's stream, and the first
 * decision about the day after a start reads it whole.
 */
export const SCHEDULED_IN_ALL = {
  users: 500_000,
  /** A smaller batch counts as so many users. */
  leastOfBatch: 25,
} as const;

/**
 * What one thing may have had in its whole life. Its stream and its state keep all of it, so the first decision about it after a
 * start reads that.
 */
export const IN_A_LIFE = {
  /** Keys of a partner that are valid at the same time. */
  validKeys: 1_000,
  /** Keys of a partner, revoked ones included. */
  keys: 10_000,
  /** E-mail addresses of a user. */
  addresses: 1_000,
  /** Cards of a user, deleted ones included. */
  cards: 100,
  /** Redemptions of a card link. */
  redemptions: 10_000,
  /** New coupons in place of others, for each unit of a purchase. */
  reissuesOfUnit: 10,
  /** Resales under one reference that came to nothing. */
  resales: 1_000,
} as const;

/** An object whose content the service does not know: `partner_data`, `custom_data`. */
export const FREE_OBJECT = {
  /** Values on all levels together; each element of a list counts. */
  values: 1_000,
  levels: 16,
  /** Characters of a name. */
  name: 255,
  /** Bytes as JSON. */
  bytes: 65_536,
} as const;

/** Pages of other origins that call with a user's access token. */
export const CROSS_ORIGIN = {
  /** Origins in `CORS_ORIGINS`. */
  origins: 100,
  /** Seconds for which a browser remembers what a page may call. */
  remembered: 600,
} as const;

/** Characters of a header's value. `HEADER_BYTES` alone bounds the other headers. */
export const HEADERS = {
  'Idempotency-Key': 255,
  'Holdfast-Position': 19,
  'X-Api-Key': 255,
  Authorization: 2_000,
  'X-Request-Id': 128,
  traceparent: 55,
  'If-None-Match': 2_000,
  Cookie: 8_000,
} as const satisfies Readonly<Record<string, number>>;

/** Bytes of a body, by call. The service refuses a larger body before it has read all of it. */
export const BODY_LIMITS = {
  /** Every call that sets no other limit. It is also the limit while the caller is still unknown (ruling H5). */
  usual: 64 * 1024,
  /** A user with their `partner_data`. */
  user: 256 * 1024,
  /** A deal with its texts, places and codes. */
  deal: 1024 * 1024,
} as const satisfies Readonly<Record<string, number>>;
export type BodyLimit = keyof typeof BODY_LIMITS;

/** Bytes of a line of an import. */
export const LONGEST_LINE = 1024 * 1024;

/** The refused lines that the answer to an import lists: it only counts further ones. */
export const MOST_REFUSED_LINES = 1_000;

/** The faults that one answer lists, and the characters of a name in it. */
export const MOST_FAULTS = 100;
export const LONGEST_FAULT_NAME = 100;

/** The names that `Holdfast-Ignored` lists, and the characters of each: it only counts the others. */
export const MOST_IGNORED = 10;
export const LONGEST_IGNORED = 60;

/** Levels and values of a JSON body. The service counts them before it parses. */
export const JSON_BOUNDS = { levels: 64, values: 50_000 } as const;

/** Parameters of a form or a query string (and values of a list in it), and levels of a name. */
export const FORM_BOUNDS = { parameters: 2_000, levels: 64 } as const;

/** Characters of what the rows of one page of a list hold, as they are stored: with more a page is refused, not cut. */
export const LARGEST_PAGE = 16 * 1024 * 1024;

/** Characters of rows that a search reads at a time, as they are stored: larger rows are read fewer at a time. */
export const LARGEST_CHUNK = 4 * 1024 * 1024;

/** Readers of a person's data on one day whom its stream remembers: each further one may have more than one event. */
export const READERS_OF_DAY = 1_000;

/** Rows that one page of an operator's list looks at: a page of few rows that fit says where it ended. */
export const EXAMINED_FOR_PAGE = 300;

/**
 * Deals that are examined for one list: a rare condition, or an order without an index, could mean all deals. With 200 000 deals,
 * every order and every single filter is answered (ruling I17): those that are not on sale, and stock without a deal, count too.
 */
export const MOST_EXAMINED = 250_000;

/**
 * What one list may look at beside its dearest condition and the first field of its order, in steps of about 0.1 µs: rows ×
 * conditions and places × circles (`list-cost.ts`).
 */
export const LIST_STEPS = 8_000_000;

/** Lists of deals that no index answers: so many wait for the one that is read, in all and of one partner (ruling I17). */
export const LISTS_ASIDE = { together: 32, ofOwner: 8 } as const;

/** Coupons that the purchases of one page have together. Each shows a QR code, which is drawn for the answer. */
export const MOST_COUPONS_OF_PAGE = 10_000;

/** How long the service waits for a caller, in milliseconds. */
export const WAITS = {
  /** For all headers of a request. */
  headers: 10_000,
  /** For the whole body. */
  body: 30_000,
  /** For the next piece of an import. The import as a whole has no limit. */
  piece: 60_000,
  /** For the next request on an open connection. */
  nextRequest: 72_000,
  /** For a caller to take a byte of an answer. */
  answer: 10_000,
  /** Where connections or memory are short: for a caller to take a byte of an answer, or to send one of a request. */
  pause: 1_000,
  /** For a caller to read the refusal while it still sends the body. */
  farewell: 500,
  /** At a stop, for one more request on an open connection. */
  lastCall: 250,
  /** At a stop, for a caller to take more of an answer: from its last piece on. */
  lastAnswer: 5_000,
} as const;

/** Headers of a request. */
export const MOST_HEADERS = 128;

/** Bytes of a body that Node buffers before the service reads them. */
export const READ_AHEAD = 16 * 1024;

/** Bytes of a refused body that the service reads and drops to keep the connection: that costs less than a new connection. */
export const MOST_DISCARDED = 256 * 1024;

/** How often the server looks for connections that wait too long, in milliseconds. */
export const LOOK_AT_WAITS_EVERY = 2_000;

/** Connections at a time. */
export const CONNECTIONS = {
  together: 10_000,
  /** Beyond those: for operators, auditors and health checks only. */
  reserved: 100,
  /** Of one address, or of one /64 network of IPv6; a trusted proxy has any number. */
  ofAddress: 1_000,
  /**
   * That the operating system may keep until the service accepts them, if its own limit is not lower. What comes beyond is tried again
   * by its caller's system, a second later at the soonest.
   */
  beginning: 4_096,
} as const;

/**
 * Connections at a time at the admin address, which nobody else can take. All of them serve operators, auditors and those who watch
 * the service: few people, whose browsers open several each.
 */
export const ADMIN_CONNECTIONS = { together: 500, reserved: 0, ofAddress: 250 } as const;

/** How soon the service looks again for a connection that does nothing, if there was none, in milliseconds. */
export const LOOK_AT_IDLE_EVERY = 20;

/** Answers that wait for their readers. */
export const UNTAKEN = {
  /** Bytes in all; beyond them, the service cuts off readers who take nothing, and refuses large answers. */
  bytes: 24 * 1024 * 1024,
  /** Bytes from which an answer is large. */
  large: 64 * 1024,
  /**
   * Bytes of large answers that the operating system may still hold: a connection’s last one counts until the next large one, its
   * end, or `WAITS.answer`. Beyond them, the service refuses further large answers.
   */
  sent: 512 * 1024 * 1024,
  /** Of these, bytes of answers to callers without a credential. */
  sentToStrangers: 64 * 1024 * 1024,
  /** A partner, or an address without a credential, may have this part of them: one in so many. */
  shares: 2,
} as const;

/** Bytes of unfinished bodies that the service holds at a time; of them, bytes of callers whose credential is not known yet. */
export const UNFINISHED = { bytes: 128 * 1024 * 1024, ofStrangers: 32 * 1024 * 1024 } as const;

/** How often the server looks for answers that nobody takes, in milliseconds. */
export const LOOK_AT_ANSWERS_EVERY = 500;

/** Requests of a connection that wait for the answer to an earlier one; beyond them, it is closed. */
export const MOST_PIPELINED = 16;

/** Bytes of the request line and all headers together. */
export const HEADER_BYTES = 16 * 1024;

/** Default limits of failed credentials: per address, and per v3 user name from all addresses. */
export const FAILURES = {
  ofAddress: { requests: 1_000, seconds: 60 },
  ofName: { requests: 20, seconds: 60 },
} as const;

/** What a partner writes through one process: bytes of bodies, and of events (ruling I16). */
export const WRITTEN = {
  /** Bytes per second, unless `WRITE_BYTES_PER_SECOND` says otherwise. */
  perSecond: 4 * 1024 * 1024,
  /** The most that it may say. */
  most: 1_000_000_000,
  /** Seconds whose bytes a partner may write at once, after a rest. */
  ahead: 8,
  /** The bytes of each call that do not count: `RATE_LIMIT` bounds the number of calls. */
  free: 4 * 1024,
  /** Milliseconds that a call over the bound waits before it is refused. */
  wait: 1_000,
  /** Calls that wait at a time; the others are refused at once. */
  waiting: 1_000,
} as const;

/** Calls of one partner whose bodies are larger than `WRITTEN.free`: that run at a time, and that wait for them (ruling I16). */
export const LARGE_CALLS = { atOnce: 2, waiting: 100 } as const;

/** Reads of the whole log: those that run at a time, at one process, and the milliseconds that one waits for its reader. */
export const LOG_READS = { atOnce: 4, patience: 300_000 } as const;

/** Unknown barcodes that the restricted keys of one name may send; beyond that, they get no barcode looked up. */
export const BARCODE_GUESSES = { requests: 100, seconds: 60 } as const;

/** Lines per second in the request log for requests without a valid credential. One line counts the rest. */
export const ANONYMOUS_LOG_LINES = { ofAddress: 10, altogether: 100 } as const;

/** Passwords that are hashed at a time, and that wait for it. */
export const HASHING = { atOnce: 2, waiting: 100 } as const;

/** Coupons of one purchase that a refund cancels at a time, each with a call of the gateway. */
export const REFUNDED_AT_ONCE = 32;
