import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LOG_READS } from '#kernel/bounds';
import { HAS_PYTHON, runTool } from '../support/certificate-tool.js';
import { RunningService, type Answer, type Json } from '../support/running-service.js';
import { sellInAllWays } from '../support/sold-in-all-ways.js';
import { tempFolder } from '../support/temp-folder.js';

const itWithPython = HAS_PYTHON ? it : it.skip;

describe('the certificate of a deal, over HTTP', () => {
  const folder = tempFolder();
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start({ env: { GATEWAY_TIMEOUT: '1000' } });
    await sellInAllWays(service, 'spa', 'acme');
    await service.newDeal('tram', { stock: 5 });
  }, 120_000);
  afterAll(async () => {
    folder.remove();
    await service.discard();
  });

  const ask = (path: string, token = service.auditorToken): Promise<Answer> => service.ask('GET', path, { token });
  const certificateOf = async (deal: string, query = ''): Promise<string> => {
    const { status, text, headers } = await ask(`/auditors/deals/${deal}/certificate${query}`);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    return text;
  };
  const linesOf = async (deal: string, query = ''): Promise<string> => {
    const { status, text, headers } = await ask(`/auditors/deals/${deal}/events${query}`);
    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    return text;
  };

  itWithPython('G7.4: the service and the tool make the same certificate, byte for byte', async () => {
    for (const deal of ['spa', 'tram']) {
      const [certificate, lines] = [await certificateOf(deal), await linesOf(deal)];
      expect(certificate).toMatch(/\nverdict: sound\n$/);
      expect(runTool(lines)).toEqual({ code: 0, out: certificate, err: '' });
      const file = join(folder.path, deal);
      writeFileSync(file, certificate);
      expect(runTool(lines, '--verify', file)).toEqual({ code: 0, out: 'equal, and sound\n', err: '' });
      writeFileSync(file, certificate.replace('verdict: sound', 'verdict: broken'));
      expect(runTool(lines, '--verify', file)).toMatchObject({ code: 2, out: '' });
    }
  });

  it('G7.4: the export has every event of the deal once, in the order that the page describes', async () => {
    const lines: Json[] = (await linesOf('spa'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const events = lines.filter((line) => 'stream' in line);
    expect(Object.keys(lines[0])).toEqual(['export']);
    expect(lines.at(-1).end).toEqual({ position: lines[0].export.position, events: events.length });
    const log: Json[] = (await ask('/auditors/log')).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const isOfDeal = ({ stream, data }: Json): boolean => {
      if (/^(deal|inventory)-/.test(stream)) return stream.endsWith('-spa');
      return /^(reservation|purchase|coupon)-/.test(stream) && data.deal_id !== 'tram';
    };
    const position = (one: Json, other: Json): number => Number(one.position) - Number(other.position);
    const expected = log.filter((line) => 'stream' in line && isOfDeal(line)).map(({ words: _, ...event }) => event);
    expect(events.toSorted(position)).toEqual(expected);
    const streams = events.map(({ stream }) => String(stream));
    expect(streams.slice(0, 3)).toEqual(['deal-spa', 'deal-spa', 'deal-spa']);
    expect(lines.filter((line) => 'open' in line).length).toBe(1);
  });

  it('G7.4: an earlier position gives the certificate of then', async () => {
    const before = await linesOf('spa');
    const { position } = JSON.parse(before.slice(0, before.indexOf('\n'))).export;
    const certificate = await certificateOf('spa');
    await service.operate('PUT', '/deals/spa/stock', { units: 41 });
    expect(await certificateOf('spa')).toContain('\nstock: 41\n');
    expect(await certificateOf('spa', `?until=${position}`)).toBe(certificate);
    expect(await linesOf('spa', `?until=${position}`)).toBe(before);
    for (const until of ['x', '-1', '9999999999999999999999', '987654321']) {
      const { status, body } = await ask(`/auditors/deals/spa/certificate?until=${until}`);
      expect([until, status, body.errors?.[0].field ?? body.error_msg]).toEqual([until, 422, 'until']);
    }
  });

  it('G7.4: no certificate shows a person or a code, and of an unknown deal there is none', async () => {
    const certificate = await certificateOf('spa');
    expect(certificate).not.toMatch(/CODE|example\.org|partner:|operator:/);
    for (const what of ['certificate', 'events']) expect((await ask(`/auditors/deals/none/${what}`)).status).toBe(404);
  });

  it('G7.4: who leaves gives the place free', async () => {
    for (let call = 0; call < 3 * LOG_READS.atOnce; call += 1) {
      const left = new AbortController();
      const response = await fetch(`${service.url}/auditors/deals/spa/events`, {
        headers: { authorization: `Bearer ${service.auditorToken}` },
        signal: left.signal,
      });
      expect(response.status).toBe(200);
      left.abort();
    }
    expect((await ask('/auditors/deals/spa/events')).status).toBe(200);
  });
});
