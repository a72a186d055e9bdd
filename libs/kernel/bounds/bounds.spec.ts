import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { RateBounds } from '#http';
import {
  BODY_LIMITS,
  BUSY_LINE,
  COMMAND_LINE,
  BARCODE_GUESSES,
  FAILURES,
  MOST_FAULTS,
  FILES,
  FREE_OBJECT,
  GATEWAY_BODY,
  HASHING,
  REFUNDED_AT_ONCE,
  HEADER_BYTES,
  HEADERS,
  IN_A_LIFE,
  JSON_BOUNDS,
  LARGEST_PAGE,
  LISTS,
  LONGEST_IN_PATH,
  LONGEST_LINE,
  LONGEST_REPLY,
  MAIL_CONNECTIONS,
  MAIL_WAITS,
  ADMIN_CONNECTIONS,
  CONNECTIONS,
  MOST_PIPELINED,
  UNTAKEN,
  MOST_EXAMINED,
  MOST_COUPONS_OF_PAGE,
  MOST_HEADERS,
  MOST_REFUSED_LINES,
  MOST_WAITING,
  PATIENCE,
  SETTINGS,
  TEXTS,
  TOKEN_LENGTH,
  WAITS,
} from './index.js';

describe('docs/bounds.md', () => {
  const page = readFileSync('docs/bounds.md', 'utf8');
  const rows = new Map([...page.matchAll(/^\| `([\w-]+)` +\| (\d+) /gm)].map(([, name, most]) => [name, Number(most)]));

  it('lists every bound of texts, lists, lives, headers, bodies, waits for a caller, files and settings, and no other', () => {
    const texts = Object.entries(TEXTS).map(([name, { most }]) => [name, most] as const);
    const known = [
      ...texts,
      ...[LISTS, IN_A_LIFE, HEADERS, BODY_LIMITS, WAITS, FILES, SETTINGS].flatMap((each) => Object.entries(each)),
    ];
    expect([...rows].sort()).toEqual([...known].sort());
  });

  it('names the other bounds in its sentences', () => {
    const edge = [
      MOST_HEADERS,
      HEADER_BYTES,
      ...Object.values(CONNECTIONS),
      ADMIN_CONNECTIONS.together,
      ADMIN_CONNECTIONS.ofAddress,
      MOST_PIPELINED,
      UNTAKEN.bytes,
      GATEWAY_BODY,
      ...TOKEN_LENGTH,
      LARGEST_PAGE,
      MOST_EXAMINED,
    ];
    expect(page).toContain(`at most ${MOST_COUPONS_OF_PAGE} coupons together`);
    const { wait, importWait, ...commandLine } = COMMAND_LINE;
    expect(page).toContain(`waits ${wait / 1_000} s for it`);
    expect(page).toContain(`of an import ${importWait / 1_000} s`);
    expect(page).toContain(`A JSON body has at most ${JSON_BOUNDS.values} values in ${JSON_BOUNDS.levels} levels`);
    for (const most of [
      ...Object.values(FREE_OBJECT),
      ...edge,
      ...Object.values(commandLine),
      MOST_FAULTS,
      LONGEST_IN_PATH,
      LONGEST_LINE,
    ]) {
      expect(page).toMatch(new RegExp(`\\b${most}\\b`));
    }
  });

  it('says how often a credential may fail, how many passwords are hashed at a time, and how long a call waits', () => {
    const times = ({ requests, seconds }: RateBounds): string => `${requests} times in ${seconds} s`;
    for (const words of [
      `${times(FAILURES.ofAddress)} from an address`,
      `${times(FAILURES.ofName)} for a v3 user name`,
      `send unknown barcodes ${times(BARCODE_GUESSES)}`,
      `${HASHING.atOnce} passwords are hashed at a time, and ${HASHING.waiting} wait`,
      `at most ${REFUNDED_AT_ONCE} of its coupons at a time`,
    ])
      expect(page).toContain(words);
    for (const [who, milliseconds] of [
      ['a call, for queues, views and the log in all', PATIENCE.call],
      ['a write, for its turn and for the log', PATIENCE.call],
      ["a read, for the position of its caller's writes", PATIENCE.ownWrites],
      ['a call with `Holdfast-Position`, for the log’s head', PATIENCE.logHead],
      ['a repeat, for a first request that broke off', PATIENCE.brokenOff],
      ['a stop, for running calls', PATIENCE.stop],
      ['a mail, for a connection and the server’s last word', MAIL_WAITS.mail],
      ['a mail, for the next word of the server', MAIL_WAITS.reply],
      ['a connection to a mail server, for name, greeting and TLS', MAIL_WAITS.connection],
      ['a stop, for mails that are under way', MAIL_WAITS.end],
    ] as const)
      expect(page).toMatch(new RegExp(`^\\| ${who} +\\| ${milliseconds / 1_000} s\\b`, 'm'));
    expect(page).toContain(`${PATIENCE.call / 1_000} s; ${MOST_WAITING} of one stream`);
    expect(page).toContain(`${BUSY_LINE.times} times ${BUSY_LINE.pause / 1_000} s`);
    const { together, mails, reply } = MAIL_CONNECTIONS;
    expect(page).toContain(
      `At most ${together} connections to the mail server are open. Each carries at most ${mails} mails`,
    );
    expect(page).toContain(`if it has none for ${MAIL_WAITS.idle / 1_000} s`);
    expect(page).toContain(`replies of at most ${reply} bytes, and keeps at most ${LONGEST_REPLY} characters`);
    expect(page).toContain(`the first ${MOST_REFUSED_LINES} refused lines of an import`);
  });

  it('says which texts may have several lines', () => {
    for (const [name, bound] of Object.entries(TEXTS)) {
      const row = new RegExp(`^\\| \`${name}\` +\\| \\d+ +\\| (yes)? `, 'm').exec(page);
      expect([name, row?.[1] === 'yes']).toEqual([name, 'lines' in bound]);
    }
  });
});
