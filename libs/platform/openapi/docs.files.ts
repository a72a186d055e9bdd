import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A file as it is served. */
export interface ServedFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const OURS = createRequire(import.meta.url);

/** What the page needs of swagger-ui, by the names that it asks for; no other file of the package is served. */
const OF_THE_PACKAGE: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** The page asks for everything beside itself, wherever the service stands. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Holdfast: reference</title>
    <link rel="stylesheet" href="docs/swagger-ui.css" />
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** No validator is asked: the document stays here. */
const START = `window.ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});
`;

export const docsPage: ServedFile = { type: 'text/html; charset=utf-8', bytes: Buffer.from(PAGE) };

const known = new Map<string, ServedFile>([
  ['start.js', { type: 'text/javascript; charset=utf-8', bytes: Buffer.from(START) }],
]);

/** A file that the page asks for; undefined for any other name. */
export function docsFile(name: string): ServedFile | undefined {
  const type = Object.hasOwn(OF_THE_PACKAGE, name) ? OF_THE_PACKAGE[name] : undefined;
  if (type !== undefined && !known.has(name)) {
    known.set(name, { type, bytes: readFileSync(OURS.resolve(`swagger-ui-dist/${name}`)) });
  }
  return known.get(name);
}
