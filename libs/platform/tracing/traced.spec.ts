import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { presentSpan, type Span, withSpan } from '#eventsourcing';
import { DomainError } from '#kernel';
import { Mailer, type Mail, type MailOutcome } from '#mailing/mail';
import { GatewayOutcomeUnknown, PaymentGateway } from '#purchasing/ports';
import { NotedSpans } from '../../../test/support/noted-spans.js';
import { traceCommands } from '../command-bus.js';
import { TracedGateway } from './traced-gateway.js';
import { TracedMailer } from './traced-mailer.js';
import { tracedWork } from './traced-work.js';

const CANARY = 'canary@example.org';

describe('G9: what is traced', () => {
  let spans: NotedSpans;
  let during: (Span | undefined)[];
  beforeEach(() => {
    spans = new NotedSpans();
    during = [];
  });

  class Gateway extends PaymentGateway {
    override get name(): string {
      return 'told';
    }
    override async charge(): ReturnType<PaymentGateway['charge']> {
      during.push(presentSpan());
      return { kind: 'declined', reason: CANARY, reference: null };
    }
    override refund(): ReturnType<PaymentGateway['refund']> {
      return Promise.reject(new GatewayOutcomeUnknown(CANARY));
    }
    override async cancel(): ReturnType<PaymentGateway['cancel']> {
      return { amount: 0, reference: null };
    }
  }

  class OneMail extends Mailer {
    override async send(): Promise<MailOutcome> {
      return { kind: 'refused', reason: CANARY };
    }
    override close(): Promise<void> {
      return Promise.resolve();
    }
  }

  it('calls to the gateway: which, and their outcome', async () => {
    const gateway = new TracedGateway(new Gateway(), spans);
    await gateway.charge(CANARY, { amount: 1 } as never);
    await expect(gateway.refund(CANARY, { key: CANARY, amount: 1 })).rejects.toThrow(GatewayOutcomeUnknown);
    await gateway.cancel(CANARY);
    const attributes = { 'holdfast.gateway': 'told' };
    expect(spans.all).toMatchObject([
      { name: 'gateway charge', kind: 'client', set: { ...attributes, 'holdfast.outcome': 'declined' } },
      { name: 'gateway refund', kind: 'client', set: attributes, ended: { failure: 'GatewayOutcomeUnknown' } },
      { name: 'gateway cancel', kind: 'client', set: attributes, ended: { failure: undefined } },
    ]);
    expect(during.map((span) => span?.context)).toEqual([spans.all[0]?.context]);
    expect(JSON.stringify(spans.all)).not.toContain(CANARY);
  });

  it('mails: their outcome', async () => {
    await new TracedMailer(new OneMail(), spans).send({ to: CANARY } as Mail);
    expect(spans.all).toMatchObject([{ name: 'mail', set: { 'holdfast.outcome': 'refused' }, ended: {} }]);
    expect(JSON.stringify(spans.all)).not.toContain(CANARY);
  });

  it('work that is due: in a trace of its own, whichever span has set its timer', async () => {
    const [list] = tracedWork(
      [
        {
          ...{ name: 'open-checkouts', view: {} as never, shown: {} as never },
          run: async () => void during.push(presentSpan()),
        },
      ],
      spans,
    );
    await withSpan(spans.start('the call before'), () => list?.run(CANARY, {} as never));
    const [, work] = spans.all;
    expect(work).toMatchObject({ name: 'work open-checkouts', parent: undefined, ended: { failure: undefined } });
    expect(during.map((span) => span?.context)).toEqual([work?.context]);
    expect(JSON.stringify(spans.all)).not.toContain(CANARY);
  });

  it('commands: their names, and a refusal by its code', async () => {
    class Buy {
      readonly secret = CANARY;
    }
    const outcomes = [() => 'done', () => refuse(), () => fail()];
    const bus = { execute: async () => outcomes.shift()?.() } as unknown as CommandBus;
    traceCommands(bus, spans);
    await expect(bus.execute(new Buy() as never)).resolves.toBe('done');
    await expect(bus.execute(new Buy() as never)).rejects.toThrow(DomainError);
    await expect(bus.execute(new Buy() as never)).rejects.toThrow(TypeError);
    expect(spans.all).toMatchObject([
      { name: 'Buy', set: {}, ended: { failure: undefined } },
      { name: 'Buy', set: { 'holdfast.refusal': 'not_found' }, ended: { failure: undefined } },
      { name: 'Buy', set: {}, ended: { failure: 'TypeError' } },
    ]);
    expect(JSON.stringify(spans.all)).not.toContain(CANARY);
  });
});

function refuse(): never {
  throw new DomainError('not_found', CANARY);
}

function fail(): never {
  throw new TypeError(CANARY);
}
