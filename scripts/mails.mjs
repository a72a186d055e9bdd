/**
 * Compiles the mails: MJML makes of libs/mailing/mail/templates/*.mjml the HTML that mail programs need, and this puts it into
 * compiled.ts there. Only whoever changes a template runs it, and npm fetches MJML for that: it is no dependency, because it brings
 * 234 packages. A spec fails if a source was changed since.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const MJML = 'mjml@5.4.1';
const folder = 'libs/mailing/mail/templates';

const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.mjml'))
  .toSorted();
const textOf = (name) => readFileSync(join(folder, name), 'utf8');
const digest = sources
  .reduce((hash, name) => hash.update(`${name}\n${textOf(name)}`), createHash('sha256'))
  .digest('hex');
const head = textOf('head.mjml');

const temporary = mkdtempSync(join(tmpdir(), 'holdfast-mails-'));
const exported = sources
  .filter((name) => name !== 'head.mjml')
  .map((name) => {
    const [file, made] = [join(temporary, name), join(temporary, `${name}.html`)];
    writeFileSync(
      file,
      textOf(name).replace('<!-- head -->', () => head),
    );
    const options = ['--config.validationLevel', 'strict', '--config.beautify', 'false', '--config.minify', 'false'];
    execFileSync('npx', ['--yes', MJML, file, '-o', made, ...options], { stdio: ['ignore', 'inherit', 'inherit'] });
    // Without indentation, a mail has half the size.
    const html = readFileSync(made, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n');
    const constant = name.slice(0, -'.mjml'.length).replaceAll('-', '_').toUpperCase();
    return `export const ${constant} = ${JSON.stringify(html)};\n`;
  });
rmSync(temporary, { recursive: true });

const compiled = join(folder, 'compiled.ts');
writeFileSync(
  compiled,
  [
    '// Made by `npm run mails:compile` from the .mjml files in this folder.\n',
    `export const SOURCES = '${digest}';\n`,
    ...exported,
  ].join('\n'),
);
execFileSync(process.execPath, ['node_modules/oxfmt/bin/oxfmt', compiled], { stdio: 'inherit' });
