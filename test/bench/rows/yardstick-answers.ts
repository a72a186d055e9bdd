import type { Request, Visit } from '../load/visit.js';
import type { RunningService } from '../../support/running-service.js';

/** Sends a request as the load generator would. @throws Error unless it succeeds @returns the answer */
export async function answerOf(service: RunningService, request: Request, value = '', id = ''): Promise<string> {
  const headers = Object.fromEntries(request.headers.map((line) => line.split(': ') as [string, string]));
  const path = request.path.replace('{value}', () => value).replace('{id}', () => id);
  const body = request.body?.replace('{value}', () => value);
  const about: Readonly<Record<string, string>> = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await service.ask(request.method, path, { headers: { ...headers, ...about }, body });
  if (answer.status !== 200) throw new Error(`the first ${request.method} ${path} failed: ${answer.text}`);
  return answer.text;
}

/** Makes a visit once. @returns what a bare server answers to the same requests, by patterns of addresses */
export async function answersOf(
  service: RunningService,
  { requests, values = [''] }: Visit,
): Promise<Readonly<Record<string, string>>> {
  const answers: Record<string, string> = {};
  let id = '';
  for (const request of requests) {
    const text = await answerOf(service, request, values[0], id);
    answers[patternOf(request.path)] = text;
    id = /"purchase_id":"([^"]+)"/.exec(text)?.[1] ?? '';
  }
  return answers;
}

function patternOf(path: string): string {
  return `^${path
    .split(/\{value\}|\{id\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/?]+')}$`;
}
