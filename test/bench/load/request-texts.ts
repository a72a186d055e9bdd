import type { Request, Visit } from './visit.js';

/** The requests of a visit as they are sent. */
export interface RequestTexts {
  /** The number of requests of a visit. */
  readonly length: number;
  /** @param nth the request of the visit @param value the number of its value @param id the purchase answered last */
  of(nth: number, value: number, id: string): Buffer;
}

/** Makes each request once for each value, when it is first needed, unless it also has the id of a purchase. */
export function requestTexts({ requests, values = [''] }: Visit): RequestTexts {
  const made = requests.map((): (Buffer | undefined)[] => []);
  return {
    length: requests.length,
    of(nth, value, id) {
      const request = requests[nth];
      if (request === undefined) throw new Error(`a visit has ${requests.length} requests, not ${nth + 1}`);
      if (needsId(request)) return textOf(request, values[value] ?? '', id);
      const ready = (made[nth] ??= []);
      return (ready[value] ??= textOf(request, values[value] ?? '', id));
    },
  };
}

/** Whether a request has the id of a purchase. */
export function needsId({ path, headers }: Request): boolean {
  return [path, ...headers].some((text) => text.includes('{id}'));
}

function textOf({ method, path, headers, body }: Request, value: string, id: string): Buffer {
  const sent = body?.replace('{value}', () => value) ?? '';
  const about = body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${sent.length}`];
  const target = path.replace('{value}', () => value).replace('{id}', () => id);
  const own = headers.map((line) => line.replace('{id}', () => id));
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...own, ...about, '', sent];
  return Buffer.from(lines.join('\r\n'), 'latin1');
}
