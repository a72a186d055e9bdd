import { status } from '@grpc/grpc-js';
import { expect, it } from '@jest/globals';
import { Denied } from './answers.js';
import { NoEventThere } from './server.js';
import { ServerReads } from './server-reads.js';

const failing = (code: number, message: string): ServerReads =>
  new ServerReads({ read: () => Promise.reject(Object.assign(new Error(message), { code })) });

it.each([
  ['EventStoreDB', status.UNKNOWN, '2 UNKNOWN: Unexpected ReadAllResult: Error'],
  ['KurrentDB 26.1', status.INVALID_ARGUMENT, '3 INVALID_ARGUMENT: InvalidPosition'],
])('no event is at a position inside another one, whatever word %s has for it', async (_, code, message) => {
  await expect(failing(code, message).readAll(7n, 1)).rejects.toThrow(NoEventThere);
});

it('a read that the server does not allow names the right that is missing', async () => {
  const reads = failing(status.PERMISSION_DENIED, '7 PERMISSION_DENIED: Access Denied');
  for (const [read, right] of [
    [() => reads.readAll(0n, 1), 'read $all'],
    [() => reads.readBack(undefined, 1, []), 'read $all'],
    [() => reads.readStream('shop_deal-1', 0, 1), 'read the stream shop_deal-1'],
  ] as const) {
    const error: unknown = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Denied);
    expect(error).toMatchObject({ right, code: status.PERMISSION_DENIED });
  }
});
