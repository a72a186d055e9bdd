import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Lets another process call the methods of a control: a POST to `/method`, with its parameters as a JSON list. */
export async function serveControl(control: object): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    void (async () => {
      try {
        const method = (control as Record<string, unknown>)[String(request.url).slice(1)];
        if (typeof method !== 'function') throw new Error(`there is no ${request.url}`);
        const result: unknown = await method.apply(control, JSON.parse(await text(request)) as unknown[]);
        response.end(JSON.stringify(result ?? null));
      } catch (error) {
        response.writeHead(400).end(JSON.stringify(String(error)));
      }
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** The same control, in another process. */
export function controlAt<Control extends object>(url: string): Control {
  const call =
    (method: string) =>
    async (...parameters: readonly unknown[]): Promise<unknown> => {
      const response = await fetch(`${url}/${method}`, { method: 'POST', body: JSON.stringify(parameters) });
      const result: unknown = await response.json();
      if (!response.ok) throw new Error(String(result));
      return result ?? undefined;
    };
  // A promise is recognised by its `then`, which a control must not have.
  return new Proxy({} as Control, { get: (_, name) => (name === 'then' ? undefined : call(String(name))) });
}
