import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SandboxGateway } from '#adapters/sandbox-gateway';
import { GatewayOutcomeUnknown } from '#purchasing/ports';
import { SmallDisk } from '../../../test/support/small-disk.js';

/** Milliseconds after which a charge finds no room: a slow machine has written one by then. */
const LATE = 5_000;

const disk = SmallDisk.mount(1);

(disk === undefined ? describe.skip : describe)('the sandbox gateway on a disk that is full', () => {
  it('D8: answers a charge only when it is in the ledger, once, and continues by itself when there is room', async () => {
    if (disk === undefined) return;
    const ledger = join(disk.path, 'ledger');
    const card = { number: '4242424242424242', month: '12', year: '2035', zip_code: '02114' };
    const gateway = await SandboxGateway.open({ ledger, timeout: LATE, now: () => 1 });
    try {
      const charge = (key: string): Promise<unknown> => gateway.charge(key, { amount: 900, card });
      // The last page of the file still has room for some lines.
      disk.fill();
      let next = 0;
      for (let full = false; !full;) {
        full = await charge(`k${next}`).then(
          () => false,
          (error: unknown) => error instanceof GatewayOutcomeUnknown,
        );
        next += 1;
      }
      await Promise.all(
        [next - 1, next].map((n) => expect(charge(`k${n}`)).rejects.toBeInstanceOf(GatewayOutcomeUnknown)),
      );
      disk.empty();
      for (let n = 0; n <= next + 1; n += 1) expect(await charge(`k${n}`)).toMatchObject({ kind: 'approved' });
      const lines = readFileSync(ledger, 'utf8').trim().split('\n');
      const keys = lines.map((line) => JSON.parse(line) as { key?: string }).flatMap(({ key }) => key ?? []);
      expect(keys).toEqual(Array.from({ length: next + 2 }, (_, n) => `k${n}`));
    } finally {
      await gateway.close();
      disk.unmount();
    }
  });
});
