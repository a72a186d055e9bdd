/** How long calls wait, and how many of them. docs/bounds.md lists these and all other waits. */

/** Milliseconds. */
export const PATIENCE = {
  /** A call, for queues, views and the log in all (ruling A8). */
  call: 5_000,
  /** A call that has begun to write many events, until all are written: its time counts from its first wait. */
  begun: 30_000,
  /** A read, for the position of its caller's writes; less if the call has less left. */
  ownWrites: 2_000,
  /** A call with `Holdfast-Position`, for the log's head. */
  logHead: 2_000,
  /** A repeat, for a first request that broke off: its record is free after this time without a renewal. */
  brokenOff: 30_000,
  /** A stop, for running calls. */
  stop: 10_000,
} as const;

/** Commands that wait for one stream. */
export const MOST_WAITING = 4_000;

/** How often a line of an import waits for a busy service, and the milliseconds of each wait. */
export const BUSY_LINE = { times: 100, pause: 100 } as const;

/** How long the service waits for a mail server, in milliseconds. */
export const MAIL_WAITS = {
  /** A mail, for a connection and for the server's last word: after that, it is tried again later. */
  mail: 120_000,
  /** A connection, for its name, the server's greeting and TLS. */
  connection: 20_000,
  /** For the next word of the server. Servers that look for spam take their time. */
  reply: 60_000,
  /** An open connection, for the next mail. */
  idle: 30_000,
  /** A stop, for mails that are under way. */
  end: 5_000,
  /** For the server to close a connection too. */
  farewell: 500,
} as const;

/** Connections to the mail server, and what they carry. */
export const MAIL_CONNECTIONS = {
  together: 5,
  /** Mails over one connection. */
  mails: 100,
  /** Further connections that one mail tries if the server closes them before it gets the mail. */
  tries: 2,
  /** Bytes of a reply. */
  reply: 65_536,
} as const;

/** Characters of a server's reply that the outcome of a mail keeps. */
export const LONGEST_REPLY = 200;

/** Characters that mails show of longer texts, and the deals of a daily mail: programs cut mails of more than 100 KB. */
export const MAIL_TEXTS = { subject: 120, name: 60, title: 160, description: 500, deals: 15 } as const;
