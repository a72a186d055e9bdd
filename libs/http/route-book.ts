import type { Access } from './access.js';
import { bodyLimitOf, type Description } from './describe.js';

/** A route, as its controller says it. */
export interface KnownRoute {
  /** In capitals. */
  readonly method: string;
  /** As the router has it: `/deals/:deal_id`. */
  readonly path: string;
  readonly access: Access | undefined;
  readonly description: Description | undefined;
}

/** What is known of a route before anything of a request is read. */
export interface RouteFacts {
  /** Who may call; undefined where its controller does not say: then only operators. */
  readonly access: Access | undefined;
  /** Bytes of its body. */
  readonly bodyLimit: number;
  /** Whether it reads its body line by line. */
  readonly lines: boolean;
}

/** Every route of the service. It is filled once they are known, before the first request. */
export class RouteBook {
  readonly #facts = new Map<string, RouteFacts>();
  readonly #paths: { readonly pattern: RegExp; readonly methods: Set<string> }[] = [];
  /** Paths without a parameter, which no other path means: `/purchases/reserve` is no purchase. */
  readonly #written = new Map<string, Set<string>>();

  fill(routes: readonly KnownRoute[]): void {
    const methods = new Map<string, Set<string>>();
    for (const { method, path, access, description } of routes) {
      const facts = { access, bodyLimit: bodyLimitOf(description), lines: description?.body !== undefined };
      this.#facts.set(`${method} ${path}`, facts);
      methods.set(path, (methods.get(path) ?? new Set()).add(method));
    }
    for (const [path, each] of methods) {
      this.#paths.push({ pattern: patternOf(path), methods: each });
      if (!path.includes(':')) this.#written.set(path, each);
    }
  }

  /** What is known of the route that the router found; undefined for one that no controller has. */
  factsOf(method: string, path: string | undefined): RouteFacts | undefined {
    return this.#facts.get(`${method === 'HEAD' ? 'GET' : method} ${path ?? ''}`);
  }

  /** Whether the router has taken for a parameter what is a path of its own, only not with this method. */
  isMistaken(path: string, found: string | undefined): boolean {
    return found !== path && this.#written.has(path);
  }

  /** The methods that a path is answered with, for `Allow`; empty where there is no such path. */
  methodsOf(path: string): readonly string[] {
    const taken = this.#paths.flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : []));
    const found = new Set(this.#written.get(path) ?? taken);
    if (found.size === 0) return [];
    if (found.has('GET')) found.add('HEAD');
    return [...found.add('OPTIONS')].sort();
  }
}

/** The router takes a parameter for anything but a slash and an empty part. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/\W/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
