import type { Access } from './access.js';
import { bodyLimitOf, type Description } from './describe.js';
import type { TokenUse } from './token-use.js';
import { namesTaken, type TakenNames } from './unused-parameters.js';

/** A route, as its controller declares it. */
export interface KnownRoute {
  /** In capitals. */
  readonly method: string;
  /** The router's pattern, such as `/deals/:deal_id`. */
  readonly path: string;
  readonly access: Access | undefined;
  readonly description: Description | undefined;
  /** How users call it with access tokens; undefined means not at all. */
  readonly tokens?: TokenUse | undefined;
}

/** The facts of a route that are needed before a request is read. */
export interface RouteFacts {
  /** Who may call; undefined means operators only. */
  readonly access: Access | undefined;
  /** The largest body in bytes. */
  readonly bodyLimit: number;
  /** Whether the call reads its body line by line. */
  readonly lines: boolean;
  /** How users call it with access tokens; undefined means not at all. */
  readonly tokens: TokenUse | undefined;
  /** The names of its parameters, without those in its path. */
  readonly takes: TakenNames;
  /** Whether the call will be removed. */
  readonly deprecated: boolean;
}

/** Every route of the service. It is filled before the first request. */
export class RouteBook {
  /** By method and path. */
  readonly #facts = new Map<string, Map<string, RouteFacts>>();
  readonly #paths: { readonly pattern: RegExp; readonly path: string }[] = [];
  /** Paths without a parameter, which win over patterns: `/purchases/reserve` is not a purchase. */
  readonly #written = new Set<string>();

  fill(routes: readonly KnownRoute[]): void {
    for (const { method, path, access, description, tokens } of routes) {
      const facts = {
        access,
        bodyLimit: bodyLimitOf(description),
        lines: description?.body !== undefined,
        tokens,
        takes: namesTaken(description?.parameters) ?? new Map(),
        deprecated: description?.deprecated === true,
      };
      const ofMethod = this.#facts.get(method) ?? new Map<string, RouteFacts>();
      this.#facts.set(method, ofMethod.set(path, facts));
    }
    for (const path of new Set(routes.map((route) => route.path))) {
      this.#paths.push({ pattern: patternOf(path), path });
      if (!path.includes(':')) this.#written.add(path);
    }
  }

  /** The facts of a route by the router's pattern; undefined if no controller has it. */
  factsOf(method: string, path: string | undefined): RouteFacts | undefined {
    return this.#facts.get(method === 'HEAD' ? 'GET' : method)?.get(path ?? '');
  }

  /** Whether the router matched a pattern although the path exists literally, with other methods. */
  isMistaken(path: string, found: string | undefined): boolean {
    return found !== path && this.#written.has(path);
  }

  /** The methods of a path, for `Allow`; empty if the path does not exist. */
  methodsOf(path: string): readonly string[] {
    const found = new Set(this.#routesAt(path).keys());
    if (found.size === 0) return [];
    if (found.has('GET')) found.add('HEAD');
    return [...found.add('OPTIONS')].sort();
  }

  /** The methods of a path that users may call with their access tokens; empty if there are none. */
  tokenMethodsOf(path: string): readonly string[] {
    const routes = [...this.#routesAt(path)].filter(
      ([, { access, tokens }]) => access === 'partner' && tokens?.kind === 'tokens',
    );
    const methods = routes.map(([method]) => method);
    return (methods.includes('GET') ? [...methods, 'HEAD'] : methods).sort();
  }

  /** The routes at a path, by method. */
  #routesAt(path: string): ReadonlyMap<string, RouteFacts> {
    const patterns = this.#written.has(path)
      ? [path]
      : this.#paths.flatMap((each) => (each.pattern.test(path) ? [each.path] : []));
    const all = new Map<string, RouteFacts>();
    // The first pattern wins, as methods of later ones only add to it.
    for (const pattern of patterns) {
      for (const [method, paths] of this.#facts) {
        const facts = paths.get(pattern);
        if (facts !== undefined && !all.has(method)) all.set(method, facts);
      }
    }
    return all;
  }
}

/** Like the router, it matches a parameter with anything but a slash and an empty part. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/\W/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
