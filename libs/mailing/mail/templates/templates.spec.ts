import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MAIL_TEXTS } from '#kernel/bounds';
import { SOURCES } from './compiled.js';
import { fill, type Scope } from './fill.js';
import { batchMail, confirmationMail, dailyUpdateMail, type DealInMail } from './index.js';

const DEAL: DealInMail = {
  title: 'A day at the spa',
  merchant: 'Harbour Spa',
  price: 4_000,
  value: 8_050,
  picture: 'https://deals.example.com/pictures/spa.jpg',
  link: 'https://deals.example.com/deals/spa',
};
const UNSUBSCRIBE = 'https://deals.example.com/m/unsubscribe/abc';
const batchOf = (more: Partial<DealInMail & { description: string | null }> = {}, firstName: string | null = 'Ada') =>
  batchMail({ firstName, deal: { description: 'Two hours.', ...DEAL, ...more }, unsubscribe: UNSUBSCRIBE });
const dailyOf = (deals: readonly DealInMail[], region = 'Boston') =>
  dailyUpdateMail({ firstName: 'Ada', region, deals, unsubscribe: UNSUBSCRIBE });
const confirmationOf = (region = 'Boston') =>
  confirmationMail({
    firstName: null,
    region,
    link: 'https://deals.example.com/m/confirm/abc',
  });

/** What a reader sees of HTML, roughly. */
const seen = (html: string): string =>
  html
    .replace(/^[^]*<body/, '<body')
    .replaceAll(/<!--[^]*?-->/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ');

describe('F4: the mail of a batch', () => {
  it('shows the deal’s picture, price and link, and how to end such mails', () => {
    const { subject, html, text } = batchOf();
    expect(subject).toBe('A day at the spa');
    expect(html).toContain(`src="${DEAL.picture}"`);
    expect(html.split(`href="${DEAL.link}"`)).toHaveLength(3);
    expect(html.split(`href="${UNSUBSCRIBE}"`)).toHaveLength(2);
    for (const words of ['Hello Ada,', 'Harbour Spa', '$40.00', 'for a value of $80.50', 'Two hours.', 'See the deal'])
      expect(seen(html)).toContain(words);
    expect(text).toBe(
      'Hello Ada,\n\nA day at the spa\nHarbour Spa\n$40.00 for a value of $80.50\nhttps://deals.example.com/deals/spa\n\n' +
        'Two hours.\n\nYou get this mail because you have an account with the shop that sent it.\n' +
        `Unsubscribe from mails like this: ${UNSUBSCRIBE}\n`,
    );
  });

  it('leaves out what is not known', () => {
    const { html, text } = batchOf({ merchant: null, price: null, picture: null, description: null }, null);
    expect(html).not.toContain('<img');
    expect(seen(html)).toContain('Hello, A day at the spa See the deal');
    expect(text).toMatch(/^Hello,\n\nA day at the spa\nhttps:\S+\n\nYou get/);
    expect(`${html}${text}`).not.toMatch(/\{\{|null|undefined/);
  });

  it.each([
    [4_000, null],
    [4_000, 4_000],
    [4_000, 3_000],
  ])('shows a value only above the price (%j, %j)', (price, value) => {
    expect(seen(batchOf({ price, value }).html)).not.toContain('value');
  });

  it('shows no picture that a mail program could take for a program', () => {
    for (const picture of ['javascript:alert(1)', 'data:image/svg+xml,x', '/pictures/spa.jpg', 'file:///etc/passwd'])
      expect(batchOf({ picture }).html).not.toContain('<img');
  });
});

describe('E5: the mail that confirms a subscription', () => {
  it('names the region, and links to the confirmation', () => {
    const { subject, html, text } = confirmationOf();
    expect(subject).toBe('Please confirm: the deals of Boston by mail');
    expect(html.split('href="https://deals.example.com/m/confirm/abc"')).toHaveLength(3);
    expect(text).toContain('confirm that this address is yours:\nhttps://deals.example.com/m/confirm/abc\n');
  });
});

describe('F5: the daily mail', () => {
  it('shows each deal of the region, with and without a picture', () => {
    const { subject, html, text } = dailyOf([DEAL, { ...DEAL, title: 'Pizza for two', picture: null, price: null }]);
    expect(subject).toBe('2 deals in Boston today: A day at the spa');
    expect(html.split('<img')).toHaveLength(2);
    expect(seen(html)).toMatch(
      /Today in Boston.*A day at the spa Harbour Spa \$40\.00 for a value of \$80\.50 .*Pizza for two Harbour Spa/,
    );
    expect(text).toContain('\n\nPizza for two\nHarbour Spa\nhttps://deals.example.com/deals/spa\n\n');
    expect(html.split(`href="${UNSUBSCRIBE}"`)).toHaveLength(2);
    expect(text).toContain(`Unsubscribe from it: ${UNSUBSCRIBE}\n`);
  });

  it.each([
    [1, undefined],
    [MAIL_TEXTS.deals, undefined],
    [MAIL_TEXTS.deals + 1, 'There is 1 more deal today.'],
    [MAIL_TEXTS.deals + 7, 'There are 7 more deals today.'],
  ])('of %i deals shows the first ones, and says how many more there are', (count, words) => {
    const { subject, html, text } = dailyOf(
      Array.from({ length: count }, (_, index) => ({ ...DEAL, title: `Deal ${index}.` })),
    );
    expect(subject).toBe(`${count === 1 ? '1 deal' : `${count} deals`} in Boston today: Deal 0.`);
    expect(html.split('<img')).toHaveLength(Math.min(count, MAIL_TEXTS.deals) + 1);
    for (const each of [seen(html), text]) {
      if (words === undefined) expect(each).not.toContain(' more deal');
      else expect(each).toContain(words);
    }
  });
});

describe('every mail', () => {
  const evil = `<script>alert(1)</script>"'><img src=x onerror=y> {{greeting}} {{#deals}}{{/deals}} &amp; $& $1`;

  it('shows words of partners and users as they are: they are text, whatever they look like', () => {
    const mails = [
      batchOf({ title: evil, merchant: evil, description: evil, link: `https://x.example/?a="><b>&c={{title}}` }, evil),
      dailyOf([{ ...DEAL, title: evil, merchant: evil }], evil),
      confirmationOf(evil),
    ];
    for (const { html, text } of mails) {
      expect(html).not.toMatch(/<script|onerror=y>|"'>|<b>/);
      expect(seen(html)).toContain('<script>alert(1)</script>');
      expect(text).toContain('<script>alert(1)</script>');
    }
    expect(seen(mails[0]?.html ?? '')).toContain(evil);
  });

  it('shows invisible characters as they are: they join the parts of an emoji, and shape letters', () => {
    const title = 'A day for the 👩‍👩‍👧‍👦, می‌خواهم, soft\u00adhyphen';
    const daily = dailyOf([{ ...DEAL, title, merchant: title }], title);
    for (const each of [batchOf({ title }, title), daily]) {
      expect(each.subject).toContain('👩‍👩‍👧‍👦, می‌خواهم, soft\u00adhyphen');
      for (const shown of [each.text, seen(each.html)]) expect(shown).toContain('👩‍👩‍👧‍👦, می‌خواهم, soft\u00adhyphen');
    }
    expect(batchOf({ title: 'a\r\nBcc: b@c\u0000\u2028d' }).subject).toBe('a Bcc: b@c d');
    expect(batchOf({}, '\u200b\u202e').text).toMatch(/^Hello,\n/);
  });

  it('is not turned by a text in it, even by one that tries to leave its place', () => {
    const evil = 'x\u2069\u202egnp.exe';
    const inside = '\u2068x\u202egnp.exe\u2069';
    const hebrew = '\u2068ספא\u2069';
    expect(batchOf({ title: evil }).subject).toBe(inside);
    expect(batchOf({}, evil).text).toMatch(new RegExp(`^Hello ${inside},\n`));
    expect(dailyOf([{ ...DEAL, title: 'ספא' }], evil).subject).toBe(`1 deal in ${inside} today: ${hebrew}`);
    expect(confirmationOf(evil).subject).toBe(`Please confirm: the deals of ${inside} by mail`);
    const long = dailyOf([{ ...DEAL, title: 'ספא '.repeat(50) }], evil).subject;
    expect(long.match(/\u2068/g)).toHaveLength(long.match(/\u2069/g)?.length ?? 0);
  });

  it('is bounded: no mail program cuts it, however long the texts are', () => {
    const long = 'Zwölf <Überraschungen> & 👩‍👩‍👧‍👦 mehr '.repeat(2_000);
    const link = `https://deals.example.com/${'x'.repeat(400)}`;
    const deal = { title: long, merchant: long, price: 1, value: 2, picture: link, link };
    const mails = [
      batchOf({ ...deal, description: long }, long),
      dailyOf(
        Array.from({ length: 1_000 }, () => deal),
        long,
      ),
      confirmationOf(long),
    ];
    for (const { subject, html, text } of mails) {
      expect([...new Intl.Segmenter('en').segment(subject)].length).toBeLessThanOrEqual(MAIL_TEXTS.subject);
      expect(Buffer.byteLength(html)).toBeLessThan(100_000);
      expect(Buffer.byteLength(text)).toBeLessThan(50_000);
      expect(subject).not.toMatch(/[\r\n]/);
      // A cut splits no character.
      expect(`${subject}${html}${text}`.isWellFormed()).toBe(true);
    }
  });

  it('loads nothing but the pictures of deals, and declares that it has dark colours', () => {
    for (const { html } of [batchOf(), dailyOf([DEAL]), confirmationOf()]) {
      const loaded = [...html.matchAll(/(?:src|background)="(http[^"]+)"|url\(([^)]+)\)|<link[^>]*href="([^"]+)"/g)];
      expect(loaded.map(([, src, url, href]) => src ?? url ?? href).filter((each) => each !== DEAL.picture)).toEqual(
        [],
      );
      expect(html).toMatch(/<meta name="color-scheme" content="light dark">/);
      expect(html).toContain('prefers-color-scheme: dark');
      expect(html).toMatch(/^<!doctype html>\n?<html lang="en" dir="ltr"/);
    }
  });
});

describe('a template', () => {
  it('must be filled whole', () => {
    expect(() => fill('{{a}} {{b}}', { a: 'x' })).toThrow('a mail has no value for b');
    expect(() => fill('{{#a}}{{/a}}', {})).toThrow('a mail has no value for a');
  });

  it('shows a part for each scope, whose names come before those around it', () => {
    const scope: Scope = { name: 'out', list: [{ name: 'one' }, { other: 'x' }], none: [], nothing: null, empty: '' };
    expect(fill('<title>{{name}}</title><a href="{{name}}">', scope)).toBe('<title>out</title><a href="out">');
    expect(fill('<p>{{#list}}{{ name }}{{/list}}', scope)).toBe(
      '<p><span dir="auto">one</span><span dir="auto">out</span>',
    );
    expect(fill('{{#none}}no{{/none}}{{#nothing}}no{{/nothing}}{{#empty}}yes{{/empty}}{{nothing}}', scope)).toBe('yes');
  });

  it('is compiled: after a change of an .mjml file, run `npm run mails:compile`', () => {
    const folder = join('libs', 'mailing', 'mail', 'templates');
    const hash = createHash('sha256');
    for (const name of readdirSync(folder)
      .filter((each) => each.endsWith('.mjml'))
      .toSorted())
      hash.update(`${name}\n${readFileSync(join(folder, name), 'utf8')}`);
    expect(SOURCES).toBe(hash.digest('hex'));
  });
});
