import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import type { Service } from '../service.js';
import { HealthController } from './health.controller.js';
import { ServiceHealth } from './service-health.js';

const HEAD = 20_000n;
const view = { view: 'deals', state: 'live', position: HEAD, error: null };

interface Told {
  readonly status: number;
  readonly headers: object;
  readonly body: object;
}

describe('G11: a service that cannot do its work', () => {
  /** What `/health/ready` answers of a service that is well but for this. */
  async function ready(but: object): Promise<Told> {
    const service = {
      engine: { log: { head: () => Promise.resolve(HEAD) } },
      logFailure: () => undefined,
      projection: () => ({ views: [view] }),
      stuck: () => [],
      ...but,
    } as unknown as Service;
    const told = { status: 200, headers: {} };
    const reply = {
      status(status: number) {
        told.status = status;
        return this;
      },
      header(name: string, value: string) {
        told.headers = { ...told.headers, [name]: value };
        return this;
      },
    } as unknown as FastifyReply;
    const body = await new HealthController(new ServiceHealth(service)).ready(reply);
    return { ...told, body };
  }

  it('is told from one that can', async () => {
    const views = [{ view: 'deals', state: 'live', lag: 0, error: null }];
    const log = { state: 'writing', head: '20000', error: null };
    expect(await ready({})).toEqual({ status: 200, headers: {}, body: { status: 'success', log, views, stuck: 0 } });
  });

  it('says why its log takes no more', async () => {
    const { status, headers, body } = await ready({ logFailure: () => 'the disk is full' });
    expect([status, headers]).toEqual([503, { 'retry-after': '1' }]);
    expect(body).toMatchObject({
      status: 'error',
      log: { state: 'failed', head: '20000', error: 'the disk is full' },
    });
  });

  it.each([
    ['nothing is heard of the views', undefined, []],
    ['a view is being built', [view, { ...view, state: 'building' }], [0, 0]],
    ['a view is 10001 behind', [view, { ...view, position: HEAD - 10_001n }], [0, 10_001]],
  ])('is not ready while %s', async (_, views, lags) => {
    const { status, body } = await ready({ projection: () => views && { views } });
    expect([status, body]).toMatchObject([503, { status: 'error', views: lags.map((lag) => ({ lag })) }]);
  });

  it('is ready with a view that is 10000 behind, and says how many pieces of work keep failing', async () => {
    const views = [{ ...view, position: HEAD - 10_000n }];
    const { status, body } = await ready({ projection: () => ({ views }), stuck: () => ['a', 'b'] });
    expect([status, body]).toMatchObject([200, { status: 'success', stuck: 2 }]);
  });
});
