import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy } from '../support/buying.js';
import { runCommand } from '../support/command.js';
import { untilStates } from '../support/rebuilding.js';
import { RunningService, type Json } from '../support/running-service.js';

const onUnix = process.platform === 'win32' ? it.skip : it;
const PROGRAM = 'apps/ops/main.js';
const MAIN = resolve('dist', PROGRAM);

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe('G6 G8: the command line of operators', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start();
    await service.newDeal('lunch');
  });
  afterAll(() => service.discard());

  /** Runs a command against the running service. */
  async function ops(args: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const here = { HOLDFAST_URL: service.url, DATA_DIR: service.dataDir };
    const given = args.split(' ').filter((part) => part !== '');
    const { code, ...printed } = await runCommand(PROGRAM, given, { ...here, ...env });
    return { code: Number(code), ...printed };
  }
  const machine = async (args: string): Promise<Json> => {
    const { code, out, err } = await ops(`projections ${args} --json`);
    expect([args, code, err]).toEqual([args, 0, '']);
    return JSON.parse(out);
  };

  it('G7.2: as-of shows people what partners were answered', async () => {
    const { code, out } = await ops('deals as-of lunch');
    expect([code, out]).toEqual([0, expect.stringMatching(/^title +Deal lunch$/m)]);
    expect((await ops('deals as-of lunch --shape v3')).out).toMatch(/^title +Deal lunch$/m);
    expect((await ops('deals as-of --help')).out).toContain('deals as-of [options] <deal>');
  });

  it('shows the state of projections to people in a table, and to programs in JSON', async () => {
    const { code, out } = await ops('projections list');
    expect(code).toBe(0);
    expect(out).toMatch(/^VIEW +STATE +GENERATION +BEHIND +ERROR\n/);
    expect(out).toMatch(/^regions +live +1 +\d/m);
    const { projections } = await machine('list');
    expect(projections.find((each: Json) => each.view === 'regions')).toMatchObject({ state: 'live', generation: 1 });
  });

  onUnix('warns on stderr of a token file that other users can read, with the command to run', async () => {
    const file = join(service.dataDir, 'operator.token');
    chmodSync(file, 0o644);
    const { code, out, err } = await ops('projections list --json');
    chmodSync(file, 0o600);
    expect([code, err]).toEqual([0, `other users can read or change ${file}: run chmod 600 ${file}\n`]);
    expect(JSON.parse(out)).toMatchObject({ projections: expect.any(Array) });
  });

  it('G7.3 G7.8 G8: shows the events of a stream, and of the whole log, to people in lines, and to programs in JSON', async () => {
    const stream = await ops('events stream deal-lunch --limit 1');
    expect([stream.code, stream.err]).toEqual([0, '']);
    expect(stream.out).toMatch(
      /^POSITION +TIME +ACTOR +TYPE +EVENT +WORDS\n\d+ +\S+Z +operator:\S+ +deal-created\.v1 +deal-lunch@0 +lunch was made, \S+: .+\n/,
    );
    expect(stream.out).toContain('go on with --from 1');
    const json = JSON.parse((await ops('events stream deal-lunch --json')).out);
    expect(json.events.map(({ revision }: Json) => revision)).toEqual(json.events.map((_: Json, at: number) => at));
    const log = await ops('events log --type deal-created --actor operator:operator');
    expect(log.out).toMatch(
      /^POSITION +TIME +ACTOR +TYPE +EVENT +WORDS\n\d+ .* deal-lunch@0 +lunch was made, \S+: .+\n$/,
    );
    expect(log.err).toMatch(/^1 of \d+ events, up to position \d+\n$/);
    const lines = (await ops('events log --json')).out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1).end.events).toBe(lines.length - 1);
    const last = await ops('events log --actor operator --last 2 --csv');
    expect(last.out.split('\n').slice(1, -1)).toEqual([
      expect.stringMatching(/^\d+,\S+Z,operator:operator,/),
      expect.stringMatching(/^\d+,\S+Z,operator:operator,/),
    ]);
    const actions = await ops('actions list --type deal-created --json');
    expect(
      actions.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toEqual(['deal-created.v1', undefined]);
    const refused = await ops('events log --type deal-creatd');
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('type must be a type that docs/events.md lists'),
    ]);
    const unknown = await ops('events stream deal-dinner');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('no stream has this name')]);
  });

  it('G4 G8: shows a deal and its units', async () => {
    const { code, out, err } = await ops('deals show lunch');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^lunch: .+ \(in-flight\)\nFIELD +VALUE\nstock +\d+\nheld +0\nsold +0\n/);
    expect(JSON.parse((await ops('deals show lunch --json')).out)).toMatchObject({
      deal: { id: 'lunch' },
      units: { sold: 0 },
    });
    expect(await ops('deals show dinner')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no deal has this id'),
    });
  });

  it('G5 G8: shows whose a coupon is, by its barcode, and its purchase', async () => {
    const acme = await service.newPartner('acme');
    const bought = await buy(service, acme.key, 'lunch', await service.newUser(acme.key, 'ann@example.com'), 1);
    const [{ id, barcode }] = bought.coupons;
    const coupon = await ops(`coupons show ${barcode}`);
    expect([coupon.code, coupon.err]).toEqual([0, '']);
    expect(coupon.out).toMatch(new RegExp(`^coupon +${id}\\nbarcode +${barcode}\\nstate +valid\\nexpires at +`, 'm'));
    const purchase = await ops(`purchases show ${bought.id}`);
    expect(purchase.out).toMatch(/^payment state +charged$/m);
    expect(purchase.out).toMatch(new RegExp(`^COUPON +BARCODE +STATE\\n${id} +${barcode} +valid$`, 'm'));
    expect(JSON.parse((await ops(`coupons show ${id} --json`)).out)).toMatchObject({
      partner_id: acme.id,
      coupon: { id },
    });
    expect(await ops('purchases show nothing')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no purchase has this id'),
    });
  });

  onUnix('ends without a word when its reader has enough', async () => {
    const command = `"${process.execPath}" "${MAIN}" events log --json | head -1`;
    const env = { PATH: process.env['PATH'], HOLDFAST_URL: service.url, DATA_DIR: service.dataDir };
    const child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(JSON.parse(out)).toMatchObject({ revision: 0 });
    expect(err.replace(/^\d+ of \d+ events, .*\n$/, '')).toBe('');
  });

  it('rebuilds, promotes, goes back and drops', async () => {
    const built = await ops('projections rebuild regions');
    expect([built.code, built.out]).toEqual([
      0,
      'Generation 2 of regions is ready. `projections promote regions 2` makes it the live one.\n',
    ]);
    expect(built.err).toContain('generation 2 of regions: ready');
    expect(await ops('projections promote regions 2')).toEqual({
      code: 0,
      out: 'Generation 2 of regions is live.\n',
      err: '',
    });
    await untilStates(service, 'regions', { 1: 'ready', 2: 'live' });
    const { out } = await ops('projections generations regions --watch');
    expect(out).toMatch(/^NUMBER +STATE +PROGRESS +SPEED +ERROR\n1 +ready +100 % +\d.*\n2 +live +100 %/);
    expect(await machine('compare regions 1')).toMatchObject({ live: 2, added: 0, removed: 0, changed: 0 });
    expect((await ops('projections compare regions 1')).out).toMatch(/changed +0/);
    expect(await machine('promote regions 1')).toEqual({ view: 'regions', generation: 1 });
    expect(await machine('drop regions 2')).toEqual({ view: 'regions', generation: 2 });
    expect(await machine('rebuild regions --promote')).toEqual({ view: 'regions', generation: 3, state: 'live' });
    expect(await machine('rebuild regions --detach')).toEqual({ view: 'regions', generation: 4, state: 'building' });
    expect(await machine('cancel regions 4')).toEqual({ view: 'regions', generation: 4 });
    await untilStates(service, 'regions', { 1: 'ready', 3: 'live' });
  });

  it.each<[why: string, args: string, env: Record<string, string>, code: number, says: string]>([
    ['an unknown view', 'projections rebuild nothing', {}, 1, '`projections list` names those that do'],
    ['a refusal', 'projections skip regions --position 7', {}, 1, 'The service refused: regions has not stopped.'],
    ['a number that is not one', 'projections drop regions one', {}, 2, 'whole number from 1'],
    ['an unknown command', 'projections undo regions', {}, 2, "unknown command 'undo'"],
    ['a missing view', 'projections rebuild', {}, 2, "missing required argument 'view'"],
    ['options that contradict', 'projections rebuild regions --promote --detach', {}, 2, 'leave --detach out'],
    ['a wrong token', 'projections list', { OPERATOR_TOKEN: 'wrong' }, 2, 'does not accept this token'],
    ['no token', 'projections list --token-file /nowhere/token', {}, 2, '--token-file, or set OPERATOR_TOKEN'],
    ['a file with other content', 'projections list --token-file .editorconfig', {}, 2, '.editorconfig holds no token'],
    ['no address', 'projections list --url localhost', {}, 2, 'localhost is not the URL of a service'],
    ['no service', 'projections list --url http://127.0.0.1:9', {}, 3, 'Is it running?'],
  ])('names the fault, in words and by its exit code: %s', async (_, args, env, code, says) => {
    const ended = await ops(args, env);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toContain(says);
  });

  it('prints failures as JSON, too', async () => {
    const { code, out, err } = await ops('projections skip regions --position 7 --json');
    expect([code, JSON.parse(out), err]).toEqual([1, { error: 'The service refused: regions has not stopped.' }, '']);
  });

  it('lets an auditor read, but not change', async () => {
    const file = join(service.dataDir, 'auditor.token');
    expect((await ops(`projections list --token-file ${file}`)).code).toBe(0);
    const { code, err } = await ops(`projections rebuild regions --token-file ${file}`);
    expect(code).toBe(2);
    expect(err).toContain('this call is for operators');
  });

  it('lists its commands in its help', async () => {
    const { code, out } = await ops('projections --help');
    expect(code).toBe(0);
    for (const verb of ['list', 'rebuild', 'generations', 'promote', 'cancel', 'drop', 'resume', 'skip']) {
      expect(out).toMatch(new RegExp(`^  ${verb} `, 'm'));
    }
    expect((await ops('--help')).out).toContain('Exit codes: 0 done');
  });

  it('says in its help how it was called, with an example, and names its version', async () => {
    const { out } = await ops('deals move --help');
    expect(out).toMatch(/^Usage: npm run ops -- deals move \[options\] <deal>\n/);
    expect(out).toMatch(
      /^Example: npm run ops -- deals move tram-28 --to in-review\n.*POST \/operators\/deals\/:slug/m,
    );
    const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await ops('--version')).toEqual({ code: 0, out: `${name} ${version}\n`, err: '' });
    expect(JSON.parse((await ops('--version --json')).out)).toEqual({ text: `${name} ${version}` });
  });

  it('prints only JSON for machines when the command is wrong, too', async () => {
    for (const [args, says] of [
      ['deals show --json', "missing required argument 'deal'"],
      ['deals --json', '--help lists nouns and verbs'],
      ['deals move lunch --to nowhere --json', 'must be one of submitted'],
    ] as const) {
      const { code, out, err } = await ops(args);
      expect([code, JSON.parse(out), err]).toEqual([2, { error: expect.stringContaining(says) }, '']);
    }
  });

  it('takes the body of a large object from the standard input', async () => {
    const env = { PATH: process.env['PATH'], HOLDFAST_URL: service.url, DATA_DIR: service.dataDir };
    const child = spawn(process.execPath, [MAIN, 'deals', 'set', 'lunch', '--body', '-'], { env });
    child.stdin.end('{"title":"A long lunch"}');
    expect(await text(child.stdout)).toMatch(/^lunch: A long lunch \(in-flight\)\n/);
    expect(await ops('deals set lunch --body package-lock.json')).toMatchObject({ code: 1 });
    const file = join(service.dataDir, 'deal.json');
    writeFileSync(file, '{"custom_data":{"n":12345678901234567891}}');
    // The text is sent as it stands, so the service sees the number that no program can hold.
    expect((await ops(`deals set lunch --body ${file}`)).err).toContain('custom_data');
    expect((await ops('deals set lunch --body LICENSE')).err).toBe('LICENSE has no JSON object.\n');
  });

  it('ends when an import is refused, although its standard input goes on', async () => {
    const env = { PATH: process.env['PATH'], HOLDFAST_URL: service.url, OPERATOR_TOKEN: 'wrong' };
    const child = spawn(process.execPath, [MAIN, 'import', 'run', '--file', '-'], { env });
    child.stdin.on('error', () => undefined).write('{"kind":"region"}\n');
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    expect([code, said]).toEqual([2, expect.stringContaining('does not accept this token')]);
  });

  it.each(['bash', 'zsh', 'fish'])('prints the script that completes commands in %s', async (shell) => {
    const { code, out, err } = await ops(`complete ${shell}`);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('holdfast complete -- ');
  });

  it('completes nouns, verbs, options and their values', async () => {
    const words = async (line: string): Promise<readonly string[]> =>
      (await ops(`complete -- ${line}`)).out.split('\n').map((each) => each.split('\t')[0] ?? '');
    expect(await words('de')).toEqual(['deals', 'describe', ':4', '']);
    expect(await words('deals m')).toEqual(['move', ':4', '']);
    expect(await words('deals move lunch --')).toEqual(expect.arrayContaining(['--to', '--reason', '--json', '--csv']));
    expect(await words('deals move lunch --to in')).toEqual(['in-review', 'in-flight', ':4', '']);
    expect((await ops('complete tcsh')).code).toBe(2);
  });
});
