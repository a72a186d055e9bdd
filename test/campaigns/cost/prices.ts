import type { Line, Sample } from '../../interface/conventions.table.js';
import type { DocumentedService } from '../../support/documented-service.js';
import type { AskOptions } from '../../support/running-service.js';
import { addressOf } from './bare-request.js';
import { cpuOf } from './cpu.js';
import { rendered, type Rendered, type Shape } from './shapes.js';

/** Who sends a request: nobody, a caller with a wrong key or password, or one with a valid one. */
export type Sender = 'nobody' | 'wrong' | 'valid';

const TOGETHER = 4;

/** Measures the cost of requests to a process, in milliseconds of its CPU. */
export class Meter {
  /** Milliseconds of CPU per millisecond while it is idle. */
  #idle = 0;

  constructor(private readonly pid: number) {}

  /** Measures it while it is idle, for this many milliseconds. */
  async rest(milliseconds: number): Promise<void> {
    const [begun, cpu] = [performance.now(), cpuOf(this.pid)];
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    this.#idle = (cpuOf(this.pid) - cpu) / (performance.now() - begun);
  }

  /** The mean over this many requests, some of which are under way together. */
  async of(count: number, send: (nth: number) => Promise<void>): Promise<number> {
    const [begun, cpu] = [performance.now(), cpuOf(this.pid)];
    let next = 0;
    const some = async (): Promise<void> => {
      while (next < count) await send((next += 1));
    };
    await Promise.all(Array.from({ length: TOGETHER }, some));
    const idle = this.#idle * (performance.now() - begun);
    return Math.max(0, cpuOf(this.pid) - cpu - idle) / count;
  }
}

/** Measures the cost of requests of a shape to a service. */
export class Prices {
  readonly meter: Meter;
  readonly statuses = new Map<number, number>();
  /** Requests so far: each gets the next address and user name. */
  #asked = 0;

  constructor(private readonly documented: DocumentedService) {
    this.meter = new Meter(documented.service.child.pid ?? 0);
  }

  /** The mean over this many requests of a shape. */
  of(route: string, line: Line, sample: Sample, shape: Shape, sender: Sender, count: number): Promise<number> {
    const { method, path, options } = this.requestOf(route, line, sample, shape, sender);
    // Encoded once: a sender that is busy with that makes the service wait, and what waits costs more.
    const encoded = typeof options.body === 'string' ? { body: Buffer.from(options.body) } : {};
    return this.meter.of(count, async () => {
      const nth = (this.#asked += 1);
      // A name that is refused for its failures would hide the cost of the others.
      const named = sender === 'wrong' && line.who === 'partner-v3' ? { basic: `n${nth}:${'w'.repeat(43)}` } : {};
      const from = sender === 'valid' ? {} : { from: addressOf(nth) };
      const asked = this.documented.service.ask(method, path, { ...options, ...encoded, ...named, ...from });
      const status = await asked.then(
        (answer) => answer.status,
        () => 0,
      );
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    });
  }

  /** The request that a shape forms from a call. */
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
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== 'authorization' && name !== 'x-api-key'),
  );
}
