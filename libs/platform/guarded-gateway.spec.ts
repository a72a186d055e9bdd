import { expect, it } from '@jest/globals';
import { Unavailable } from '#eventsourcing';
import { PaymentGateway } from '#purchasing';
import { GuardedGateway } from './guarded-gateway.js';

const CHARGE = { amount: 1 } as unknown as Parameters<PaymentGateway['charge']>[1];

/** A gateway that records its calls. */
class CalledGateway extends PaymentGateway {
  readonly calls: unknown[] = [];
  override get name(): string {
    return 'told';
  }
  override async charge(...asked: readonly unknown[]): ReturnType<PaymentGateway['charge']> {
    this.calls.push(['charge', ...asked]);
    return { kind: 'approved', reference: null };
  }
  override async refund(...asked: readonly unknown[]): ReturnType<PaymentGateway['refund']> {
    this.calls.push(['refund', ...asked]);
    return { reference: null };
  }
  override async cancel(...asked: readonly unknown[]): ReturnType<PaymentGateway['cancel']> {
    this.calls.push(['cancel', ...asked]);
    return { amount: 0, reference: null };
  }
}

const watch = { passed: () => Promise.resolve(), doubt: () => undefined };

const CALLS: readonly [string, (gateway: PaymentGateway) => Promise<unknown>, readonly unknown[]][] = [
  ['a charge', (gateway) => gateway.charge('p1', CHARGE), ['charge', 'p1', CHARGE]],
  ['a refund', (gateway) => gateway.refund('r1', { key: 'p1', amount: 5 }), ['refund', 'r1', { key: 'p1', amount: 5 }]],
  ['a cancellation', (gateway) => gateway.cancel('p1'), ['cancel', 'p1']],
];

it.each(CALLS)('%s reaches the gateway only after the guard lets its purchase pass', async (_, ask, call) => {
  const gateway = new CalledGateway();
  const open = Promise.withResolvers<undefined>();
  const asked: (string | undefined)[] = [];
  const guard = {
    async passed(stream?: string) {
      asked.push(stream);
      await open.promise;
    },
  };
  const answer = ask(new GuardedGateway(gateway, guard, watch));
  await new Promise((resolve) => setImmediate(resolve));
  expect([asked, gateway.calls]).toEqual([['purchase-p1'], []]);
  open.resolve(undefined);
  await answer;
  expect(gateway.calls).toEqual([call]);
});

it.each(CALLS)('%s does not reach the gateway while the guard refuses', async (_, ask) => {
  const gateway = new CalledGateway();
  const guard = { passed: () => Promise.reject(new Unavailable('the event log needs an operator')) };
  await expect(ask(new GuardedGateway(gateway, guard, watch))).rejects.toBeInstanceOf(Unavailable);
  expect(gateway.calls).toEqual([]);
});

it.each(CALLS)('%s does not reach the gateway if the guard closes during the check of the ledger', async (_, ask) => {
  const gateway = new CalledGateway();
  let open = true;
  const guard = {
    async passed() {
      if (!open) throw new Unavailable('the event log needs an operator');
    },
  };
  const closes = {
    ...watch,
    async passed() {
      open = false;
    },
  };
  await expect(ask(new GuardedGateway(gateway, guard, closes))).rejects.toBeInstanceOf(Unavailable);
  expect(gateway.calls).toEqual([]);
});
