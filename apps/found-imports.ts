import type { ResolveFnOutput, ResolveHookContext } from 'node:module';

/** What a resolution depends on. */
type Asked = Pick<ResolveHookContext, 'parentURL' | 'conditions' | 'importAttributes'>;

/**
 * Resolves imports as Node would, but seldom reads the disk: a relative import such as `./ids.js` by its path, and the name of a
 * package, or of one of our entry points, once for all modules of the package that imports it. If a file does not exist, reading
 * it fails later.
 */
export class FoundImports {
  readonly #known = new Map<string, ResolveFnOutput>();

  /** @param next resolves as Node does */
  resolve<Context extends Asked>(
    specifier: string,
    context: Context,
    next: (specifier: string, context: Context) => ResolveFnOutput,
  ): ResolveFnOutput {
    const { parentURL, conditions, importAttributes } = context;
    const isPlain = conditions.includes('import') && Object.keys(importAttributes).length === 0;
    if (parentURL?.startsWith('file:') !== true || !isPlain) return next(specifier, context);
    if (/^\.\.?\/.*\.js$/.test(specifier)) return { url: new URL(specifier, parentURL).href, shortCircuit: true };
    const asking = packageOf(parentURL);
    // A package may have several `package.json` files, each with `#` names of its own.
    if (/^[./]/.test(specifier) || (asking !== OURS && specifier.startsWith('#'))) return next(specifier, context);
    const key = `${asking} ${specifier}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = { ...next(specifier, context), shortCircuit: true };
    this.#known.set(key, found);
    return found;
  }
}

const OURS = '';

/** The folder of a module's package: all modules of a package resolve a name alike. */
function packageOf(url: string): string {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(url)?.[0] ?? OURS;
}
