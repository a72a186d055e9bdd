import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  inspectLedger,
  readLedger,
  SandboxGateway,
  type LedgerLine,
  type LedgerInspection,
} from '#adapters/sandbox-gateway';
import { HttpSandboxGateway, SandboxServer } from '#adapters/sandbox-gateway/http';
import { FORMAT, type LedgerMark } from '#eventsourcing';
import { FILES } from '#kernel/bounds';
import { GatewayRefused, type PaymentGateway } from '#purchasing/ports';
import {
  paymentGatewayContract,
  type PaymentGatewaySubject,
} from '../../../test/contracts/payment-gateway.contract.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';

/** Milliseconds that a call waits for the gateway. */
const TIMEOUT = 1_500;
/** The installation that asks. */
const OURS = 'ours';
const CARD = {
  number: '4242424242424242',
  month: '12',
  year: '2099',
  zip_code: 'ZIP-CANARY',
  verification_value: '937',
};

interface Opened {
  readonly gateway: PaymentGateway;
  mark(): Promise<LedgerMark>;
  chargeForAnother(key: string): Promise<unknown>;
  close(): Promise<void>;
}

async function makeSubject(
  open: (ledger: string, time: VirtualTime) => Promise<Opened>,
): Promise<PaymentGatewaySubject> {
  const folder = tempFolder();
  const file = join(folder.path, 'ledger.jsonl');
  const time = new VirtualTime();
  let opened = await open(file, time);
  return {
    gateway: opened.gateway,
    ledger: () => readLedger(file).map(withoutTime),
    async reopen() {
      await opened.close();
      opened = await open(file, time);
      return opened.gateway;
    },
    mark: () => opened.mark(),
    chargeForAnother: (key) => opened.chargeForAnother(key),
    giveUp: () => time.pass(TIMEOUT),
    async dispose() {
      await opened.close();
      folder.remove();
    },
  };
}

function withoutTime({ at, reference, installation, ...line }: LedgerLine): object {
  expect(at).toBe(77);
  expect(reference).toMatch(/^sandbox-\d+$/);
  expect([OURS, 'another']).toContain(installation);
  return line;
}

async function inProcess(ledger: string, time: VirtualTime): Promise<Opened> {
  const gateway = await SandboxGateway.open({ ledger, installation: OURS, timeout: TIMEOUT, now: () => 77, time });
  return {
    gateway,
    mark: () => Promise.resolve(gateway.mark),
    chargeForAnother: (key) => gateway.charge(key, { amount: 100, card: CARD }, 'another'),
    close: () => gateway.close(),
  };
}

async function overHttp(ledger: string, time: VirtualTime): Promise<Opened> {
  const sandbox = await SandboxGateway.open({ ledger, timeout: 0, now: () => 77 });
  const server = await SandboxServer.listen({
    gateway: sandbox,
    host: '127.0.0.1',
    port: 0,
    mishaps: { delay: 0, lose: 0, duplicate: 0 },
    random: () => 0.5,
  });
  const gateway = new HttpSandboxGateway(server.url, TIMEOUT, OURS, time);
  const another = new HttpSandboxGateway(server.url, TIMEOUT, 'another', time);
  return {
    gateway,
    mark: async () => (await gateway.look(undefined)).mark,
    chargeForAnother: (key) => another.charge(key, { amount: 100, card: CARD }),
    async close() {
      await another.close();
      await gateway.close();
      await server.close();
      await sandbox.close();
    },
  };
}

paymentGatewayContract('in process', () => makeSubject(inProcess));
paymentGatewayContract('over HTTP', () => makeSubject(overHttp));

describe('D8: the ledger of the sandbox gateway', () => {
  let folder: ReturnType<typeof tempFolder>;
  let file: string;
  const opened: SandboxGateway[] = [];
  beforeEach(() => {
    folder = tempFolder();
    file = join(folder.path, 'ledger.jsonl');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((gateway) => gateway.close()));
    folder.remove();
  });

  async function open(): Promise<SandboxGateway> {
    const gateway = await SandboxGateway.open({ ledger: file, timeout: 60_000, now: () => 77 });
    opened.push(gateway);
    return gateway;
  }
  const charge = (gateway: SandboxGateway, key: string) => gateway.charge(key, { amount: 1000, card: CARD });

  it('has only the last four digits of a card; only its owner can read it', async () => {
    await charge(await open(), 'p1');
    expect(readFileSync(file, 'utf8').split('\n').slice(1)).toEqual([
      '{"kind":"charge","key":"p1","amount":1000,"last4":"4242","installation":"","at":77,"reference":"sandbox-1","outcome":"approved"}',
      '',
    ]);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('keeps nothing of a line that a crash cut off, and the next line is separate', async () => {
    const first = await open();
    await charge(first, 'p1');
    await first.close();
    appendFileSync(file, '{"kind":"charge","key":"p2","amou');
    expect(readLedger(file).map(({ key }) => key)).toEqual(['p1']);
    const second = await open();
    expect(await charge(second, 'p2')).toEqual({ kind: 'approved', reference: 'sandbox-2' });
    expect(readLedger(file).map(({ key }) => key)).toEqual(['p1', 'p2']);
  });

  // Lines that share a write can span sectors of the disk, and a power cut can leave the later sectors without the earlier.
  it('keeps nothing of lines whose beginning a power cut left as zeros', async () => {
    const first = await open();
    await charge(first, 'p1');
    await first.close();
    const lost = Buffer.alloc(512 - (statSync(file).size % 512));
    appendFileSync(file, Buffer.concat([lost, Buffer.from('"kind":"charge"}\n{"kind":"charge","key":"p3"}\n')]));
    expect(readLedger(file).map(({ key }) => key)).toEqual(['p1']);
    const second = await open();
    expect(await charge(second, 'p2')).toEqual({ kind: 'approved', reference: 'sandbox-2' });
    expect(readLedger(file).map(({ key }) => key)).toEqual(['p1', 'p2']);
  });

  it('is refused if a complete line is damaged, and not changed', async () => {
    const damaged = `{"kind":"ledger","format":"${FORMAT}","identity":"x"}\nno JSON\n`;
    writeFileSync(file, damaged);
    await expect(open()).rejects.toThrow(`${file}, line 2 is damaged`);
    expect(readFileSync(file, 'utf8')).toBe(damaged);
  });

  // Another ledger, or an older copy, does not know charges that stand.
  it('names itself and keeps its name', async () => {
    const first = await open();
    await charge(first, 'p1');
    const { identity } = first.mark;
    expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(
      `{"kind":"ledger","format":"${FORMAT}","identity":"${identity}"}`,
    );
    await first.close();
    expect((await open()).mark.identity).toBe(identity);
  });

  it.each([
    ['of the first format', '{"kind":"ledger","format":1,"identity":"x"}', 'it has the format 1'],
    [
      'without a name',
      '{"kind":"charge","key":"p1","amount":1000,"last4":"4242","at":7,"outcome":"approved"}',
      'it names no format',
    ],
    ['of a later format', '{"kind":"ledger","format":"2","identity":"x"}', 'it has the format 2'],
  ])('G9: of another build (%s) is refused by name, and not changed', async (_, first, words) => {
    writeFileSync(file, `${first}\n`);
    await expect(open()).rejects.toThrow(
      `${file} was written by another build of Holdfast: ${words}, and this build knows only`,
    );
    expect(readFileSync(file, 'utf8')).toBe(`${first}\n`);
  });

  it('is identified by how far it reaches: an older copy, a cut one and another ledger do not reach that far', async () => {
    const gateway = await open();
    const empty = { mark: gateway.mark, copy: readFileSync(file) };
    await charge(gateway, 'p1');
    const one = { mark: gateway.mark, copy: readFileSync(file) };
    await Promise.all(['p2', 'p3'].map((key) => charge(gateway, key)));
    const { mark } = gateway;
    const look = (content: Buffer): LedgerInspection | undefined => {
      const copy = join(folder.path, 'copy.jsonl');
      writeFileSync(copy, content);
      return inspectLedger(copy);
    };
    const whole = readFileSync(file);
    for (const each of [empty.mark, one.mark, mark]) expect(look(whole)?.reaches(each)).toBe(true);
    expect(look(one.copy)?.reaches(one.mark)).toBe(true);
    expect(look(one.copy)?.reaches(mark)).toBe(false);
    expect(look(whole.subarray(0, -1))?.reaches(mark)).toBe(false);
    expect(look(Buffer.alloc(0))?.reaches(empty.mark)).toBe(false);
    expect(look(Buffer.from(whole.toString().replaceAll('p3', 'p4')))?.reaches(mark)).toBe(false);
    expect(inspectLedger(join(folder.path, 'nothing'))).toBeUndefined();
  });

  it('is refused by name if it is larger than the bound', () => {
    writeFileSync(file, '');
    truncateSync(file, FILES.ledger + 1);
    expect(() => readLedger(file)).toThrow(`${file} is larger than ${FILES.ledger} bytes`);
  });

  it('is empty if there is no file', () => {
    expect(readLedger(file)).toEqual([]);
  });

  it('has all charges that waited together for the disk, in order', async () => {
    const gateway = await open();
    const keys = Array.from({ length: 5_000 }, (_, index) => `p${index}`);
    await Promise.all(keys.map((key) => charge(gateway, key)));
    expect(readLedger(file).map(({ key }) => key)).toEqual(keys);
  });

  it('has unknown outcomes for calls to a closed gateway, and calls without an answer end with it', async () => {
    const gateway = await SandboxGateway.open({ ledger: file, timeout: 60_000, now: () => 77 });
    const silent = gateway.charge('p1', { amount: 1, card: { ...CARD, number: '4000000000000259' } });
    const settled = expect(silent).rejects.toMatchObject({ name: 'GatewayOutcomeUnknown' });
    await gateway.close();
    await gateway.close();
    await settled;
    await expect(charge(gateway, 'p2')).rejects.toMatchObject({ name: 'GatewayOutcomeUnknown' });
    expect(readLedger(file).map(({ key }) => key)).toEqual(['p1']);
  });
});

describe('a sandbox gateway whose ledger is full', () => {
  it('D8: refuses new charges by name; what it has charged is answered again, and goes back', async () => {
    const folder = tempFolder();
    const ledger = join(folder.path, 'ledger.jsonl');
    const gateway = await SandboxGateway.open({ ledger, timeout: TIMEOUT, now: () => 77, chargesUntil: 1_000 });
    const charge = (key: string): Promise<unknown> => gateway.charge(key, { amount: 900, card: CARD });
    try {
      let charged = 0;
      while (statSync(ledger).size < 1_000) await charge(`k${(charged += 1)}`);
      await expect(charge('next')).rejects.toThrow(/ledger of the sandbox gateway is full/);
      await expect(charge('next')).rejects.toBeInstanceOf(GatewayRefused);
      expect(await charge(`k${charged}`)).toMatchObject({ kind: 'approved' });
      expect(await gateway.refund('r1', { key: 'k1', amount: 900 })).toMatchObject({ reference: expect.any(String) });
      expect(await gateway.cancel('next')).toMatchObject({ amount: 0 });
      expect(readLedger(ledger)).toHaveLength(charged + 2);
    } finally {
      await gateway.close();
      folder.remove();
    }
  });
});
