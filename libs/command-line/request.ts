import { type Call, inPath, type Values } from './calls/call.js';
import type { Method } from './service-client.js';

/** A request to the service. */
export interface Request {
  readonly method: Method;
  readonly path: string;
  readonly body?: object | undefined;
}

/** The request of a call with these values: arguments go into the path, and others into the query or a JSON body. */
export function requestOf({ route }: Pick<Call, 'route'>, values: Values): Request {
  const [method = '', pattern = ''] = route.split(' ');
  const named = inPath(route);
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const rest = Object.fromEntries(Object.entries(values).filter(([name]) => !named.includes(name)));
  const isEmpty = Object.keys(rest).length === 0;
  if (method === 'POST' || method === 'PUT') return { method, path, body: isEmpty ? undefined : rest };
  return { method: method as Method, path: isEmpty ? path : `${path}?${queryOf(rest)}` };
}

/** The query string of values. Several values of one name have commas between them. */
export const queryOf = (values: Values): string =>
  new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
