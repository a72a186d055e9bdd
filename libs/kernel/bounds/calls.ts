/**
 * Everything that enters has a bound, and this is the one place that says which. What the schemas read is held to these, and
 * `/openapi.json` shows them; docs/bounds.md explains them to callers, and lists how long anything waits.
 */

/** What is asked of a text beside its length. */
interface TextBound {
  /** Characters, as UTF-16 counts them. */
  readonly most: number;
  /** Whether it may have more than one line; any other control character is refused everywhere. */
  readonly lines?: true;
  /** What is longer, or no plain text, is not refused but is nobody's: it names nothing, as an unknown id does (ruling A8). */
  readonly names?: true;
}

/** Texts. Where nothing else fits, a text is a `line`. */
export const TEXTS = {
  /** Ids and slugs of whatever is there already. */
  id: { most: 200, names: true },
  /** Names of people, places and things, sessions, and what lists are searched for. */
  line: { most: 255 },
  /** No country's postal code has so many. */
  zip: { most: 20 },
  /** A partner's own token for a user. */
  token: { most: 1_000 },
  /** An operator's reason. */
  reason: { most: 1_000, lines: true },
  /** Hours of a place, and such. */
  note: { most: 1_000, lines: true },
  /** What describes a deal. */
  prose: { most: 20_000, lines: true },
  link: { most: 2_000 },
  /** A keyword of a v3 list: it comes back in the address of the next page. */
  keyword: { most: 4_000 },
  // The next two, `line` and an image's `link` stand in the event of one sale. With the most units, each with its code, it
  // fits one append whatever the characters are, and so do the events that follow: a living hold can always be claimed.
  title: { most: 1_000 },
  /** A redemption code. */
  code: { most: 100 },
} as const satisfies Readonly<Record<string, TextBound>>;
export type TextName = keyof typeof TEXTS;

/** Characters of an id, slug, place or address in a path. What is longer is cut, and so is not known (ruling A8). */
export const LONGEST_IN_PATH = 254;

/** Characters of a password; each costs its hashing. */
export const LONGEST_PASSWORD = 1_000;

/** Characters of an e-mail address (RFC 5321), and of an ISO 8601 time with whatever it has. */
export const LONGEST_EMAIL = 254;
export const LONGEST_TIME = 40;

/** What numbers hold exactly. */
const EXACT = Number.MAX_SAFE_INTEGER;

/** Integers: the least and the most. */
export const INTEGERS = {
  any: [-EXACT, EXACT],
  /** Of units, users, purchases: from none. */
  count: [0, EXACT],
  some: [1, EXACT],
  /** So much that the amount of the largest purchase (1000 units) is still exact. */
  cents: [0, 1_000_000_000_000],
  /** A price that a buyer has seen: any, for another than the present one is refused as such. */
  seenCents: [-EXACT, EXACT],
  /** Credits of a user, and the bounds that a list is searched within. */
  anyCents: [0, EXACT],
  percent: [0, 100],
  /** Days that a voucher is good for: a century. */
  days: [1, 36_500],
  month: [1, 12],
  /** Four digits. */
  year: [1_000, 9_999],
  page: [1, EXACT],
  perPage: [1, 1_000],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;
export type IntegerName = keyof typeof INTEGERS;

/** Units of one purchase (ruling D2): the decision refuses others, in the words of the interface. */
export const UNITS = [1, 1_000] as const;

/** Floats: the least and the most. */
export const FLOATS = {
  latitude: [-90, 90],
  longitude: [-180, 180],
  /** Miles: no two places on earth are farther apart. */
  miles: [0, 12_500],
  score: [0, 5],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;
export type FloatName = keyof typeof FLOATS;

/** Elements of a list. They are counted before one is looked at. */
export const LISTS = {
  /** Filters, each one of a few words. */
  filters: 20,
  /** Slugs that a list of deals is narrowed to. */
  slugs: 100,
  tags: 100,
  locations: 1_000,
  /** Conditions of a v3 filter: they become one query, and stores bound how much one may say. */
  conditions: 100,
  /** Redemption codes that are added at once. */
  codes: 10_000,
} as const satisfies Readonly<Record<string, number>>;
export type ListName = keyof typeof LISTS;

/** An object of a partner's or operator's own: `partner_data`, `custom_data`. */
export const FREE_OBJECT = {
  /** Values in all, on all levels; a list of `preferred_categories` counts each. */
  values: 1_000,
  levels: 16,
  /** Characters of a name. */
  name: 255,
  /** Bytes as JSON. */
  bytes: 65_536,
} as const;

/** Characters of what a header may say; others are read for what HTTP itself means by them, within `HEADER_BYTES`. */
export const HEADERS = {
  'Idempotency-Key': 255,
  'Holdfast-Position': 19,
  'X-Api-Key': 255,
  Authorization: 2_000,
  'X-Request-Id': 128,
  traceparent: 55,
  'If-None-Match': 2_000,
} as const satisfies Readonly<Record<string, number>>;

/** Bytes of a body, by what a call takes. A body that is larger than a call's limit is refused before it is read to its end. */
export const BODY_LIMITS = {
  /** Every call that says nothing else. So much is read before it is known who calls, too (ruling H5). */
  usual: 64 * 1024,
  /** With `partner_data`. */
  user: 256 * 1024,
  /** With its texts, places and codes. */
  deal: 1024 * 1024,
} as const satisfies Readonly<Record<string, number>>;
export type BodyLimit = keyof typeof BODY_LIMITS;

/** Bytes of a line of an import. */
export const LONGEST_LINE = 1024 * 1024;

/** What an answer tells of faults: so many of them, and of a name so many characters. */
export const FAULTS_TOLD = 100;
export const NAME_TOLD = 100;

/** What a JSON body may hold, whatever its bytes: counted before it is parsed. */
export const JSON_BOUNDS = { levels: 64, values: 50_000 } as const;

/** Parameters of a form or a query string, values of a list in it, and levels of a name. */
export const FORM_BOUNDS = { parameters: 2_000, levels: 64 } as const;

/** How long the service waits for a caller, in milliseconds. */
export const WAITS = {
  /** For all headers of a request. */
  headers: 10_000,
  /** For all of a body. */
  body: 30_000,
  /** For the next piece of an import, which may take as long as it needs. */
  piece: 60_000,
  /** For the next request on a connection that is kept open. */
  nextRequest: 72_000,
  /** For a caller to take the refusal of a body that it still sends. */
  farewell: 500,
} as const;

/** Headers of a request. */
export const MOST_HEADERS = 128;

/** Bytes of a body that wait to be read by whoever takes it. */
export const READ_AHEAD = 16 * 1024;

/** Bytes of a refused body that are read to be thrown away, so that its connection goes on: so many cost less than a new one. */
export const THROWN_AWAY = 256 * 1024;

/** How often it is looked whether a connection waits too long, in milliseconds. */
export const LOOK_AT_WAITS_EVERY = 2_000;

/** Connections at once; others are closed at once. */
export const MOST_CONNECTIONS = 10_000;

/** Bytes of a request's line and headers together. */
export const HEADER_BYTES = 16 * 1024;

/** Failed credentials in a time, by default: of an address, and of a partner's v3 user name from anywhere. */
export const FAILURES = {
  ofAddress: { requests: 1_000, seconds: 60 },
  ofName: { requests: 20, seconds: 60 },
} as const;

/** Lines of the request log, a second, that are about requests without a valid credential; the others are counted in one. */
export const LINES_OF_NOBODY = { ofAddress: 10, altogether: 100 } as const;

/** Hashings of passwords: so many at once, and so many that wait for their turn. */
export const HASHING = { atOnce: 2, waiting: 100 } as const;
