import { readFileSync } from 'node:fs';
import { html, StaticAnswer } from '#http';
import { parsedJson } from '#kernel';
import { assetHeaders, PAGE_HEADERS } from './policy.js';

/** What the build has made of `page/` (scripts/bundle-console.mjs). */
interface Manifest {
  readonly script: string;
  readonly style: string;
  /** All files, by name. */
  readonly files: readonly string[];
}

/** A file whose name has the hash of its content never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The page of the console, and the files that it loads. */
export interface Assets {
  readonly page: StaticAnswer;
  readonly files: ReadonlyMap<string, StaticAnswer>;
}

/**
 * Reads what the build has made.
 * @param folder `dist/console`
 * @throws Error if the build has not made it
 */
export function readAssets(folder: URL): Assets {
  const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
  const manifest = parsedJson(read('manifest.json')) as Manifest;
  const answerOf = (name: string): StaticAnswer => new StaticAnswer(read(name), assetHeaders(name), FOR_EVER);
  return {
    page: new StaticAnswer(shell(manifest), PAGE_HEADERS),
    files: new Map(manifest.files.map((name) => [name, answerOf(name)])),
  };
}

/** The page before its script has run. */
const shell = ({ script, style }: Manifest): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Holdfast console</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/console/assets/${style}" />
        <script type="module" src="/console/assets/${script}"></script>
      </head>
      <body>
        <div id="console"></div>
        <noscript>
          <main>
            <h1>Holdfast console</h1>
            <p>The console needs JavaScript. The command <code>holdfast</code> does everything that it does.</p>
          </main>
        </noscript>
      </body>
    </html> `.text;
