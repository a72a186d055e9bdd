import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { MAIL, mailerContract, SENDER } from '../../../test/contracts/mailer.contract.js';
import { parsed } from '../../../test/support/parsed-mail.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { Outbox } from './outbox.js';

const options = {
  from: SENDER,
  clock: { now: () => Date.UTC(2026, 0, 1) },
  randomness: thisMachine.randomness,
};
const mailsIn = (folder: string): Buffer[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .toSorted()
        .map((name) => readFileSync(join(folder, name)))
    : [];

mailerContract('the outbox', () => {
  const base = tempFolder();
  const folder = join(base.path, 'outbox');
  const mailer = new Outbox({ ...options, folder });
  return Promise.resolve({
    mailer,
    mails: () => Promise.resolve(mailsIn(folder)),
    async dispose() {
      await mailer.close();
      base.remove();
    },
  });
});

describe('F4: the outbox', () => {
  let base: ReturnType<typeof tempFolder>;
  let folder: string;
  let outbox: Outbox;
  beforeEach(() => {
    base = tempFolder();
    folder = join(base.path, 'outbox');
    outbox = new Outbox({ ...options, folder });
  });
  afterEach(async () => {
    await outbox.close();
    base.remove();
  });

  it('makes its folder and its files readable by their owner only, and makes none without a mail', async () => {
    expect(existsSync(folder)).toBe(false);
    await outbox.send(MAIL);
    expect(readdirSync(folder)).toEqual(['batch-1-user-1@deals.example.com.eml']);
    const modes = [folder, join(folder, 'batch-1-user-1@deals.example.com.eml')].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('G12.1: forgets the mails whose id ends with one of these, and no others', async () => {
    await outbox.forget(['ann']);
    for (const local of ['batch-1.ann', 'batch-1.hannah', 'daily.2027-01-31.sub-9', 'ann.bob'])
      await outbox.send({ ...MAIL, messageId: `<${local}@deals.example.com>` });
    await outbox.forget(['ann', 'sub-9']);
    await outbox.forget(['ann', 'sub-9']);
    expect(readdirSync(folder).toSorted()).toEqual([
      'ann.bob@deals.example.com.eml',
      'batch-1.hannah@deals.example.com.eml',
    ]);
  });

  it('keeps the newest mails, also of an earlier process', async () => {
    const kept = 10;
    const send = async (from: number, to: number): Promise<void> => {
      const few = new Outbox({ ...options, folder, kept });
      for (let number = from; number < to; number += 1) {
        const name = `<mail-${number}@x.example>`;
        await few.send({ ...MAIL, messageId: name });
        // One after another, whatever the resolution of the file system's times.
        const file = join(folder, `mail-${number}@x.example.eml`);
        utimesSync(file, number, number);
      }
      await few.close();
    };
    await send(0, 15);
    await send(15, 30);
    const left = readdirSync(folder).map((name) => Number(/^mail-(\d+)@/.exec(name)?.[1]));
    expect(left.length).toBeLessThanOrEqual(kept + 2);
    expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: left.length }, (_, n) => 30 - left.length + n));
  });

  it('replaces a mail by its repeat, also by one of another process and by one at the same time', async () => {
    await outbox.send({ ...MAIL, subject: 'first' });
    const other = new Outbox({ ...options, folder });
    await Promise.all([outbox, other].map((each) => each.send({ ...MAIL, subject: 'second' })));
    await other.close();
    expect(mailsIn(folder).map((mail) => parsed(mail).headers['subject'])).toEqual([['second']]);
  });

  it.each([
    '<../../../etc/passwd@x>',
    '<a/b@x>',
    '<.hidden@x>',
    `<${'a'.repeat(300)}@x>`,
    '<A@x>',
    '<aux:x@y>',
    '<ä@x>',
  ])('writes the mail %s into a file of the folder, with a name that every file system takes', async (messageId) => {
    expect(await outbox.send({ ...MAIL, messageId })).toEqual({ kind: 'sent' });
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.eml$/)]);
    expect(readdirSync(base.path)).toEqual(['outbox']);
  });

  it('removes with its first mail what a killed process left unfinished, and nothing else', async () => {
    await outbox.send(MAIL);
    writeFileSync(join(folder, 'half.eml.0.tmp'), 'half');
    writeFileSync(join(folder, 'note.txt'), 'mine');
    const next = new Outbox({ ...options, folder });
    await next.send({ ...MAIL, messageId: '<2@example.com>' });
    await next.close();
    expect(readdirSync(folder).toSorted()).toEqual([
      '2@example.com.eml',
      'batch-1-user-1@deals.example.com.eml',
      'note.txt',
    ]);
  });

  it('delays a mail while its folder cannot be written, and writes it later', async () => {
    writeFileSync(folder, 'a file');
    const delayed = await outbox.send(MAIL);
    expect(delayed).toEqual({ kind: 'delayed', reason: `the outbox ${folder} cannot be written: EEXIST` });
    rmSync(folder);
    expect(await outbox.send(MAIL)).toEqual({ kind: 'sent' });
    rmSync(folder, { recursive: true });
    expect(await outbox.send(MAIL)).toMatchObject({ kind: 'delayed' });
    expect(await outbox.send(MAIL)).toEqual({ kind: 'sent' });
    expect(mailsIn(folder)).toHaveLength(1);
  });

  it('finishes the mails that are under way when it ends', async () => {
    const sending = Array.from({ length: 20 }, (_, index) =>
      outbox.send({ ...MAIL, messageId: `<${index}@x.example>` }),
    );
    await outbox.close();
    expect(readdirSync(folder).filter((name) => name.endsWith('.eml'))).toHaveLength(20);
    expect(await Promise.all(sending)).toEqual(sending.map(() => ({ kind: 'sent' })));
  });
});
