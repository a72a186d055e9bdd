import { thisMachine } from '#adapters/machine';
import { Outbox } from '#adapters/outbox';

/** A program that puts a mail into the outbox `argv[2]`, and then its repeat. */
const folder = process.argv[2] ?? '';
const { randomness } = thisMachine;
const from = { name: 'Shop', address: 'shop@deals.example.com' };
const outbox = new Outbox({ folder, from, clock: { now: () => 0 }, randomness });
for (const subject of ['first', 'second']) {
  const mail = { messageId: '<one@example.com>', to: 'ada@example.com', subject, html: '<p>Hi</p>', text: 'Hi' };
  const outcome = await outbox.send({ ...mail, unsubscribe: null });
  if (outcome.kind !== 'sent') throw new Error(outcome.reason);
}
await outbox.close();
