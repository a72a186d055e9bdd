import type { Access } from './access.js';
import { bodyLimitOf, type Description } from './describe.js';
import type { TokenUse } from './token-use.js';

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
  /** Whether the call will be removed. */
  readonly deprecated: boolean;
}

/** Every route of the service. It is filled before the first request. */
export class RouteBook {
  /** By method and path. */
  readonly #facts = new Map<string, Map<string, RouteFacts>>();
  readonly #paths: { readonly pattern: RegExp; readonly methods: Set<string> }[] = [];
  /** Paths without a parameter, which win over patterns: `/purchases/reserve` is not a purchase. */
  readonly #written = new Map<string, Set<string>>();

  fill(routes: readonly KnownRoute[]): void {
    const methods = new Map<string, Set<string>>();
    for (const { method, path, access, description, tokens } of routes) {
      const facts = {
        access,
        bodyLimit: bodyLimitOf(description),
        lines: description?.body !== undefined,
        tokens,
        deprecated: description?.deprecated === true,
      };
      const ofMethod = this.#facts.get(method) ?? new Map<string, RouteFacts>();
      this.#facts.set(method, ofMethod.set(path, facts));
      methods.set(path, (methods.get(path) ?? new Set()).add(method));
    }
    for (const [path, each] of methods) {
      this.#paths.push({ pattern: patternOf(path), methods: each });
      if (!path.includes(':')) this.#written.set(path, each);
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
    const taken = this.#paths.flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : []));
    const found = new Set(this.#written.get(path) ?? taken);
    if (found.size === 0) return [];
    if (found.has('GET')) found.add('HEAD');
    return [...found.add('OPTIONS')].sort();
  }
}

/** Like the router, it matches a parameter with anything but a slash and an empty part. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/\W/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
