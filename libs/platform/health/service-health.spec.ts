import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { thisMachine } from '#adapters/machine';
import { LogUnusable, StoreFailed, Unavailable, ViewNotReady } from '#eventsourcing';
import { BUILD } from '../build.js';
import type { Service } from '../service.js';
import { HealthController } from './health.controller.js';
import { ServiceHealth } from './service-health.js';

const HEAD = 20_000n;
const view = { view: 'deals', state: 'live', lagEvents: 0, error: null };

interface Answer {
  readonly status: number;
  readonly headers: object;
  readonly body: object;
}

describe('G11: the health of a service', () => {
  /** The answer of `/health/ready` for a service that is healthy except for this. */
  async function ready(but: object): Promise<Answer> {
    const service = {
      role: 'api',
      initialized: true,
      engine: { ...thisMachine, clock: { now: () => 65_000 }, log: { head: () => Promise.resolve(HEAD) } },
      logFailure: () => undefined,
      logStalled: () => false,
      logRefusals: () => [],
      guard: { findings: [], unreported: 0, refused: false, uncertain: false, lapsed: false },
      ledger: { findings: [] },
      projections: { report: () => ({ views: [view] }), silentFor: () => 14_000, failure: () => undefined },
      stuck: async () => [],
      isRedisAway: () => undefined,
      audits: { selfAudit: () => undefined },
      ...but,
    } as unknown as Service;
    const answer = { status: 200, headers: {} };
    const reply = {
      status(status: number) {
        answer.status = status;
        return this;
      },
      header(name: string, value: string) {
        answer.headers = { ...answer.headers, [name]: value };
        return this;
      },
    } as unknown as FastifyReply;
    const request = { call: { caller: { kind: 'operator' } } } as FastifyRequest;
    const body = await new HealthController(new ServiceHealth(service)).ready(request, reply);
    return { ...answer, body };
  }

  it('is a success if nothing is wrong', async () => {
    const views = [{ view: 'deals', state: 'live', lag: 0, error: null }];
    const log = { state: 'writing', head: '20000', error: null, events_of_others: 0 };
    const queue = { in: 'process', state: 'working', error: null };
    const details = { initialized: true, log, findings: [], more_findings: 0, views, queue, audit: null, stuck: 0 };
    const body = { status: 'success', ...BUILD, ...details };
    expect(await ready({})).toEqual({ status: 200, headers: {}, body });
  });

  it('is a success whatever the self-audit has found, and says that', async () => {
    const what = 'its sold is 3, and by the events before 4';
    const fault = { kind: 'sum', where: 'inventory-lunch@8', position: '40', what };
    const hole = { kind: 'missing', where: null, position: '7', what: 'no event' };
    const last = { at: 5_000, position: '90', events: 90, faults: 3, seconds: 2 };
    const status = { mode: 'on', last, progress: 0.5, faults: [fault, hole], count: 3 };
    const { status: code, body } = await ready({ audits: { selfAudit: () => status } });
    expect([code, body]).toMatchObject([
      200,
      {
        audit: {
          ...{ last_ended: '1970-01-01T00:00:05Z', age: 60, events: 90, progress: 0.5, more_findings: 1 },
          findings: [
            {
              code: 'sum',
              where: 'inventory-lunch@8',
              message: expect.stringContaining(`${what}. The event does not follow`),
            },
            { code: 'missing', where: 'position 7' },
          ],
        },
      },
    ]);
  });

  it('is not ready before the start has finished, even if everything else is', async () => {
    const { status, body } = await ready({ initialized: false });
    expect([status, body]).toMatchObject([503, { status: 'error', initialized: false, log: { state: 'writing' } }]);
  });

  it('says why the log takes no more appends', async () => {
    const { status, headers, body } = await ready({ logFailure: () => 'the disk is full' });
    expect([status, headers]).toEqual([503, { 'retry-after': '1' }]);
    expect(body).toMatchObject({
      status: 'error',
      log: { state: 'failed', head: '20000', error: 'the disk is full' },
    });
  });

  it('says that the log does not answer, and gives its last known position', async () => {
    const head = (): never => {
      throw new Unavailable('the event log cannot be read');
    };
    const projections = {
      report: () => ({ views: [view], head: 19_999n }),
      silentFor: () => 0,
      failure: () => undefined,
    };
    const { status, body } = await ready({
      engine: { ...thisMachine, log: { head: async () => head() } },
      projections,
    });
    const log = { state: 'failed', head: '19999', error: 'the event log cannot be read' };
    expect([status, body]).toMatchObject([503, { status: 'error', log, views: [{ state: 'live' }] }]);
  });

  it('says that the log has not renewed the lease: nothing can be written, even if nobody has tried', async () => {
    const guard = { findings: [], unreported: 0, refused: false, uncertain: false, lapsed: true };
    const { status, body } = await ready({ guard });
    expect([status, body]).toMatchObject([503, { log: { state: 'failed', error: expect.stringContaining('lease') } }]);
  });

  it('counts the events of other programs that the server has delivered, and is ready all the same', async () => {
    const projections = {
      report: () => ({ views: [view], head: HEAD, eventsOfOthers: 9_000 }),
      silentFor: () => 0,
      failure: () => undefined,
    };
    const { status, body } = await ready({ projections });
    expect([status, body]).toMatchObject([200, { log: { events_of_others: 9_000 } }]);
  });

  it.each([
    ['there is no report of the views', undefined, []],
    ['a view is being built', [view, { ...view, state: 'building' }], [0, 0]],
    ['nobody knows yet how far a view is behind', [view, { ...view, lagEvents: null }], [0, null]],
    ['a view is 10001 behind', [view, { ...view, lagEvents: 10_001 }], [0, 10_001]],
  ])('is not ready while %s', async (_, views, lags) => {
    const { status, body } = await ready({
      projections: { report: () => views && { views }, silentFor: () => 0, failure: () => undefined },
    });
    expect([status, body]).toMatchObject([503, { status: 'error', views: lags.map((lag) => ({ lag })) }]);
  });

  it('is not ready after a time without reports of the projector, whatever its last report was', async () => {
    const { status, body } = await ready({
      projections: { report: () => ({ views: [view] }), silentFor: () => 16_000, failure: () => undefined },
    });
    const error = 'no report from the projector for 16 s: does a worker run?';
    expect([status, body]).toMatchObject([503, { status: 'error', views: [{ state: 'silent', lag: 0, error }] }]);
  });

  it.each([
    ['api', 'no report from the projector yet: does a worker run?'],
    ['all', 'no report from the projector yet'],
  ])(
    'is not ready before the first report of the projector, which runs in a worker or here: %s',
    async (role, error) => {
      const { status, body } = await ready({
        role,
        projections: { report: () => undefined, silentFor: () => Infinity, failure: () => undefined },
      });
      expect([status, body]).toMatchObject([503, { views: [{ view: 'all', error }] }]);
    },
  );

  it('says why the projector breaks, however long it has not reported', async () => {
    const failure = (): string => 'the event log cannot be read: its server does not allow its user to read $all';
    const { status, body } = await ready({
      projections: { report: () => undefined, silentFor: () => Infinity, failure },
    });
    expect([status, body]).toMatchObject([503, { views: [{ state: 'stopped', error: failure() }] }]);
  });

  it('is not ready while the work lists do not answer', async () => {
    const { status, body } = await ready({ stuck: () => Promise.reject(new Unavailable('MongoDB is away')) });
    expect([status, body]).toMatchObject([503, { status: 'error', stuck: null, views: [{ view: 'deals' }] }]);
  });

  it.each([
    ['is there', false, { in: 'Redis', state: 'working', error: null }],
    ['is away', true, { in: 'Redis', state: 'degraded', error: expect.stringContaining('REDIS_URL') }],
  ])('is ready while Redis %s, and says so', async (_, away, queue) => {
    const { status, body } = await ready({ isRedisAway: () => away });
    expect([status, body]).toMatchObject([200, { status: 'success', queue }]);
  });

  it.each([new ViewNotReady('followers'), new StoreFailed('a sync failed'), new LogUnusable('damaged')])(
    'answers whatever hinders its own looks: %s',
    async (error) => {
      const fails = (): Promise<never> => Promise.reject(error);
      const { status, body } = await ready({ stuck: fails, engine: { ...thisMachine, log: { head: fails } } });
      expect([status, body]).toMatchObject([503, { stuck: null, log: { state: 'failed', error: error.message } }]);
    },
  );

  it('is ready with a view that is 10000 events behind, and says how many pieces of work keep failing', async () => {
    const views = [{ ...view, lagEvents: 10_000 }];
    const { status, body } = await ready({
      projections: { report: () => ({ views }), silentFor: () => 0, failure: () => undefined },
      stuck: async () => ['a', 'b'],
    });
    expect([status, body]).toMatchObject([200, { status: 'success', stuck: 2 }]);
  });
});
