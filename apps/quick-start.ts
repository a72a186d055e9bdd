import { readFileSync, statSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const dist = new URL('../', import.meta.url);
const list = new URL('bundle/bundle.json', dist);

/** When a file was written, in milliseconds; 0 if there is none. */
const writtenAt = (file: URL): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

// Keeps compiled code beside the build, so that the next start need not compile it. Without write access, nothing is kept.
const compiled = fileURLToPath(new URL('.compile-cache', dist));
enableCompileCache(compiled);
// Threads use it only if the environment names it.
process.env['NODE_COMPILE_CACHE'] ??= compiled;

// Programs load their bundle (scripts/bundle.mjs), because the same code in some 1500 files takes far longer. If only the
// compiler has run since, the bundle is old, and they load its files; so they do under `node --conditions=unbundled`, for tools
// that change modules while they load.
if (writtenAt(list) > writtenAt(new URL('.tsbuildinfo', dist))) {
  const { programs } = JSON.parse(readFileSync(list, 'utf8')) as {
    readonly programs: Readonly<Record<string, string>>;
  };
  registerHooks({
    resolve(specifier, context, next) {
      const isOurs = context.parentURL?.startsWith(dist.href) === true && !context.conditions.includes('unbundled');
      const file = isOurs ? programs[specifier] : undefined;
      if (file === undefined) return next(specifier, context);
      return { url: new URL(`bundle/${file}`, dist).href, format: 'module', shortCircuit: true };
    },
  });
}
