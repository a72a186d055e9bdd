import type { FastifyRequest } from 'fastify';

/** What the router has found for a request. */
type Route = FastifyRequest['routeOptions'];

declare module 'fastify' {
  interface FastifyRequest {
    route?: Route;
  }
}

/** The route of a request. Fastify makes its options anew for each caller that asks, so they are kept with the request. */
export function routeOf(request: FastifyRequest): Route {
  return (request.route ??= request.routeOptions);
}
