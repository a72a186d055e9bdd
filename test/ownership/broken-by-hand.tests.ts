import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { tell } from '../campaigns/size.js';
import { describeAlone } from '../support/alone.js';
import { type Break, breakLogOf } from '../support/broken-log.js';
import { HAS_PYTHON, type Printed, runTool } from '../support/certificate-tool.js';
import { copyOf } from '../support/data-folder.js';
import { certificateOf } from '../support/deal-certificates.js';
import { healthOnce } from '../support/own-server.js';
import { discardLeftovers, type Json, RunningService } from '../support/running-service.js';
import { sellInAllWays } from '../support/sold-in-all-ways.js';
import { FOUND } from './broken-by-hand.table.js';

/** With this variable set, it prints what finds each way, and at which event. */
const VARIABLE = 'BROKEN_LOG';
const DEAL = 'spa';

/** What found a way to break a log. */
interface Seen {
  /** What a start refuses. */
  readonly start: readonly Json[];
  /** `kind where`; undefined if nothing audits, because the log is refused. */
  readonly selfAudit: readonly string[] | undefined;
  /** `kind where`. */
  readonly verify: readonly string[];
  /** The certificate, and the first line of its faults. */
  readonly certificate: string;
  readonly fault: string | undefined;
  /** What `tools/certificate.py` makes of the same events; undefined without Python. */
  readonly tool: Printed | undefined;
}

/** Starts a service on a folder twice, waits for its self-audit, verifies, and asks for the certificate. */
export async function seenIn(dataDir: string): Promise<Seen> {
  const first = await RunningService.start({ dataDir, env: { SELF_AUDIT: 'off' }, unready: true });
  const started = await healthOnce(first, ({ status, findings }) => status === 'success' || findings.length > 0);
  expect(started.audit).toBeNull();
  await first.stop();
  const service = await RunningService.start({ dataDir, env: { SELF_AUDIT: 'at-once' }, unready: true });
  try {
    // Nothing audits a log that is refused.
    const { audit } = await healthOnce(
      service,
      (all) => all.audit === null || typeof all.audit.last_ended === 'string',
    );
    const { text } = await service.ask('GET', '/auditors/verification', { token: service.auditorToken });
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line): Json => JSON.parse(line));
    expect(lines.at(-1)).toHaveProperty('end');
    const certified = await certificateOf(service, DEAL);
    return {
      start: started.findings,
      selfAudit: (audit?.findings as Json[] | undefined)?.map(({ code, where }) => `${code} ${where}`),
      verify: lines.flatMap(({ finding }) => (finding === undefined ? [] : [`${finding.kind} ${finding.where}`])),
      certificate: certified.text,
      fault: certified.text.split('\n').find((line) => line.startsWith('fault ')),
      tool: HAS_PYTHON ? runTool(certified.lines) : undefined,
    };
  } finally {
    await service.discard();
  }
}

/** The kinds of these, each once. */
const kindsOf = (found: readonly string[]): readonly string[] =>
  [...new Set(found.map((each) => each.slice(0, each.indexOf(' '))))].toSorted();

/** The first of each kind. */
const firstOfKinds = (found: readonly string[]): string =>
  kindsOf(found)
    .map((kind) => found.find((each) => each.startsWith(`${kind} `)))
    .join(', ') || 'nothing';

/** What found a way, and the first event of each kind, in one line of a table. */
function rowOf({ name }: Break, { start, selfAudit, verify, fault, tool }: Seen): string {
  const [, , place = '', rule = ''] = fault?.split(' ') ?? [];
  const certificate = fault === undefined ? 'nothing' : `${rule.slice(0, -1)} ${place}`;
  const cells = [
    name,
    start.length === 0 ? 'nothing' : start.map(({ code }) => String(code)).join(', '),
    selfAudit === undefined ? 'does not run' : firstOfKinds(selfAudit),
    firstOfKinds(verify),
    certificate,
    tool === undefined ? 'no Python' : tool.code === 0 ? 'nothing' : 'the same',
  ];
  return `| ${cells.join(' | ')} |`;
}

/**
 * Tests what finds each of these ways to break a log.
 * @param more further tests, of the folder with the sound log
 */
export function testBreaks(ways: readonly Break[], more: (dataDir: () => string) => void = () => undefined): void {
  describeAlone('a log that somebody has changed by hand', () => {
    let dataDir: string;

    beforeAll(async () => {
      const service = await RunningService.start({ env: { GATEWAY_TIMEOUT: '1000' } });
      await sellInAllWays(service, DEAL, 'acme');
      await service.stop();
      ({ dataDir } = service);
      tell(VARIABLE, '| way | start | self-audit | verify | certificate | certificate.py |');
      tell(VARIABLE, '| --- | ----- | ---------- | ------ | ----------- | -------------- |');
    });
    afterAll(discardLeftovers);

    more(() => dataDir);

    it.each([...ways])(
      'G7.4 G7.10: with $name, start, self-audit, verify and certificate find what the table says, and the tool the same',
      async (way) => {
        const expected = FOUND[way.name];
        const folder = copyOf(dataDir);
        const changed = breakLogOf(folder, DEAL, way);
        const seen = await seenIn(folder);
        tell(VARIABLE, rowOf(way, seen));
        if (expected === undefined) throw new Error('the table lacks this way');
        const { start, selfAudit, verify, certificate, fault, tool } = seen;
        const { start: says, always, kinds, at: where = ([one = '']) => one } = expected;
        const lost = {
          message: expect.stringMatching(says ?? 'nothing'),
          ...(always && { stream: `inventory-${DEAL}` }),
        };
        const refused = [expect.objectContaining(lost)];
        if (always === true || (says !== undefined && start.length > 0)) expect(start).toEqual(refused);
        else expect(start).toEqual([]);

        const at = expect.stringMatching(new RegExp(` ${where(changed)}$`));
        expect(verify).toContainEqual(at);
        expect(kindsOf(verify)).toEqual(kinds);
        // A start that refuses leaves nothing to the self-audit, or only what it finds first.
        if (start.length === 0) {
          expect(selfAudit).toContainEqual(at);
          expect(kindsOf(selfAudit ?? [])).toEqual(kinds);
        }

        const [, , place = '', ...words] = fault?.split(' ') ?? [];
        if (expected.first === undefined)
          expect([fault, certificate.slice(-15)]).toEqual([undefined, 'verdict: sound\n']);
        else {
          const [category, first] = expected.first;
          expect([place.slice(0, place.indexOf('-')), words.join(' ')]).toEqual([
            category,
            expect.stringContaining(first),
          ]);
          // At an event that somebody has changed, or at one that it contradicts.
          if (['inventory', 'purchase'].includes(category) && !/^(causes|accounts): (no|coupon)/.test(first))
            expect(changed).toContain(place);
          expect(certificate).toMatch(new RegExp(`\\nverdict: broken\\nfirst: ${place} at position \\d+\\n$`));
        }
        if (HAS_PYTHON) expect(tool).toEqual({ code: expected.first === undefined ? 0 : 1, out: certificate, err: '' });
      },
    );
  });
}
