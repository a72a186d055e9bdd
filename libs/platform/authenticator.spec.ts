import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Reader, StoreFailed, Unavailable, ViewNotReady } from '#eventsourcing';
import { apiKeysView } from '#partners/model';
import { tempFolder } from '../../test/support/temp-folder.js';
import { authenticatorOf, UnknownCredentials } from './authenticator.js';
import type { Service } from './service.js';

/** A view that has come to a position, and follows the log if nobody refuses it. */
function credentials(position: bigint, { head = 10n, refused = false, follows = true } = {}) {
  const view = { position, waited: 0, heads: 0 };
  const reader = new Reader({
    views: { reader: () => ({ position: () => Promise.resolve(view.position) }) } as never,
    freshness: {
      until(_, to) {
        view.waited += 1;
        if (!follows) return Promise.reject(new Unavailable('the view api-keys is behind'));
        view.position = to;
        return Promise.resolve();
      },
      reachedBy: () => 0n,
      has: (_, to) => view.position >= to,
    },
    log: {
      head() {
        view.heads += 1;
        return view.heads === 1 && head < 0n
          ? Promise.reject(new Unavailable('the log is away'))
          : Promise.resolve(head);
      },
    },
  });
  const unknown = new UnknownCredentials(reader, { refused });
  /** The key is in the log at position 7. */
  const look = () => Promise.resolve(view.position >= 7n ? 'acme' : undefined);
  return { view, look, surely: () => unknown.surely(apiKeysView, look), unknown };
}

test('a credential that its view has not seen yet after the start is found when the view has caught up', async () => {
  const { view, surely } = credentials(3n);
  await expect(surely()).resolves.toBe('acme');
  expect(view.waited).toBe(1);
});

test('a credential that the view lacks is unknown only once the view has seen what the log had at the start', async () => {
  const { surely } = credentials(3n, { follows: false });
  await expect(surely()).rejects.toThrow(Unavailable);
});

test('beside a refused log, whose views stay behind, a credential that the view lacks is not called wrong', async () => {
  const { view, surely } = credentials(3n, { refused: true });
  await expect(surely()).rejects.toThrow('the event log needs an operator');
  expect(view.waited).toBe(0);
});

// An empty copy was put back, and a power failure took the view's last rows: the view has seen all of that log.
test('beside a refused log that ends before the view, a credential that the view lacks is not called wrong', async () => {
  const { surely } = credentials(3n, { head: 0n, refused: true });
  await expect(surely()).rejects.toThrow('the event log needs an operator');
});

test('a wrong credential is unknown at once when the view has seen all, and the log is asked only once', async () => {
  const { view, unknown } = credentials(10n);
  const nobody = () => Promise.resolve(undefined);
  await expect(unknown.surely(apiKeysView, nobody)).resolves.toBeUndefined();
  await expect(unknown.surely(apiKeysView, nobody)).resolves.toBeUndefined();
  expect(view).toMatchObject({ waited: 0, heads: 1 });
});

test('if the log does not answer, the next caller asks it again', async () => {
  const { view, unknown } = credentials(0n, { head: -1n });
  const nobody = () => Promise.resolve(undefined);
  await expect(unknown.surely(apiKeysView, nobody)).rejects.toThrow('the log is away');
  await expect(unknown.surely(apiKeysView, nobody)).resolves.toBeUndefined();
  expect(view.heads).toBe(2);
});

// The database was deleted under a worker: its views were gone, and the log was refused.
test.each([
  ['the log', new Unavailable('away')],
  ['the view', new ViewNotReady('operator-secrets')],
  ['the store', new StoreFailed('operator-secrets')],
])('G11: operators see health with the tokens of the files, whatever hinders the look: %s', async (_, error) => {
  const { path, remove } = tempFolder();
  const token = 't'.repeat(40);
  writeFileSync(join(path, 'auditor.token'), token);
  const engine = { reader: undefined };
  const service = {
    operatorTokens: { find: () => Promise.reject(error) },
    operatorTokenUses: { note: () => undefined },
    engine,
    guard: { refused: true },
  };
  const { monitor } = authenticatorOf(service as unknown as Service, path);
  await expect(monitor(token)).resolves.toMatchObject({ kind: 'operator', role: 'auditor' });
  await expect(monitor('x'.repeat(40))).rejects.toBe(error);
  remove();
});
