import type { Line, Sample } from '../../interface/conventions.table.js';
import type { DocumentedService } from '../../support/documented-service.js';
import type { AskOptions } from '../../support/running-service.js';
import { cpuOf } from './cpu.js';
import { rendered, type Rendered, type Shape } from './shapes.js';

/** Who sends a request: nobody, somebody whose key or password is wrong, or whoever may. */
export type Sender = 'nobody' | 'wrong' | 'valid';

const TOGETHER = 4;

/** Measures what requests cost a service, in milliseconds of its CPU. */
export class Prices {
  /** Milliseconds of CPU that it takes in a millisecond while nobody asks. */
  #idle = 0;
  readonly statuses = new Map<number, number>();

  constructor(private readonly documented: DocumentedService) {}

  /** Watches it do nothing for so many milliseconds. */
  async rest(milliseconds: number): Promise<void> {
    const [begun, cpu] = [performance.now(), this.#cpu()];
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    this.#idle = (this.#cpu() - cpu) / (performance.now() - begun);
  }

  /** The mean of so many requests of a shape. */
  async of(route: string, line: Line, sample: Sample, shape: Shape, sender: Sender, count: number): Promise<number> {
    const request = this.requestOf(route, line, sample, shape, sender);
    const [begun, cpu] = [performance.now(), this.#cpu()];
    let left = count;
    const send = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const status = await this.documented.service.ask(request.method, request.path, request.options).then(
          (answer) => answer.status,
          () => 0,
        );
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, send));
    const idle = this.#idle * (performance.now() - begun);
    return Math.max(0, this.#cpu() - cpu - idle) / count;
  }

  /** The request that a shape makes of a call. */
  requestOf(
    route: string,
    line: Line,
    { ids = {}, send = {}, lines }: Sample,
    shape: Shape,
    sender: Sender,
  ): { readonly method: string; readonly path: string; readonly options: AskOptions } {
    const [method = '', pattern = ''] = route.split(' ');
    const made: Rendered = rendered(shape, send, method);
    const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const path = pattern.replace(/:(\w+)/g, (_, name: string) =>
      name === names.at(-1) && made.last !== undefined ? made.last : encodeURIComponent(ids[name] ?? 'x'),
    );
    const body = made.body ?? lines;
    const type: Readonly<Record<string, string>> =
      made.body === undefined && lines !== undefined ? { 'content-type': 'application/x-ndjson' } : {};
    const options = {
      ...this.#credential(line, sender),
      ...(body !== undefined && { body }),
      headers: { ...type, ...(sender === 'valid' ? withoutCredentials(made.headers) : made.headers) },
    };
    return { method, path: made.query === '' ? path : `${path}?${made.query}`, options };
  }

  #credential(line: Line, sender: Sender): AskOptions {
    if (sender === 'nobody' || line.who === 'public') return {};
    if (sender === 'valid') return this.documented.credential(line);
    if (line.who === 'partner') return { key: 'w'.repeat(43) };
    return line.who === 'partner-v3' ? { basic: `acme:${'w'.repeat(43)}` } : { token: 'w'.repeat(43) };
  }

  #cpu(): number {
    return cpuOf(this.documented.service.child.pid ?? 0);
  }
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== 'authorization' && name !== 'x-api-key'),
  );
}
