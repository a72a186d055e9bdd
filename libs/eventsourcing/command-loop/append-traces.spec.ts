import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import {
  AppendRefused,
  AppendTraces,
  CommandLoop,
  outsideCallDeadline,
  presentSpan,
  type SpanContext,
  traced,
  withSpan,
} from '#eventsourcing';
import { NotedSpans } from '../../../test/support/noted-spans.js';
import { openGuard } from '../../../test/support/open-guard.js';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { contextAt, tally, tallyCodec, tallyFollowers } from '../../../test/support/tally.js';

describe('G9: the traces of appends', () => {
  let log: ScriptedLog;
  let loop: CommandLoop;
  let spans: NotedSpans;
  let wrote: [position: bigint, span: SpanContext][];

  const open = (tracer = new NotedSpans()): void => {
    spans = tracer;
    wrote = [];
    log = new ScriptedLog();
    loop = new CommandLoop({
      log,
      codec: tallyCodec,
      clock: { now: () => 1 },
      followers: [tallyFollowers],
      machine: thisMachine,
      guard: openGuard(),
      traces: new AppendTraces(tracer, (position, span) => wrote.push([position, span])),
    });
  };
  beforeEach(() => open());
  afterEach(() => loop.close());

  /** A command in a span of its own. */
  const add = (key: string, copies: readonly string[] = []): Promise<unknown> =>
    traced(spans, `add ${key}`, {}, () => loop.execute(tally, 'a', { key, copies }, contextAt()));

  it('an append belongs to the first command in it, and the others have links to it', async () => {
    await add('before');
    await Promise.all([add('k1'), add('k2'), add('k3')]);
    const [, append, ...others] = spans.named('append');
    expect(others).toEqual([]);
    const [k1, k2, k3] = ['k1', 'k2', 'k3'].map((key) => spans.named(`add ${key}`)[0]);
    expect(append).toMatchObject({
      parent: k1?.context,
      set: {
        'holdfast.stream.kind': 'tally',
        'holdfast.commands': 3,
        'holdfast.streams': 1,
        'holdfast.events': 3,
        'holdfast.append.result': 'written',
        'holdfast.position': 4,
      },
      ended: { failure: undefined },
    });
    expect([k1, k2, k3].map((span) => span?.linked)).toEqual([[], [append?.context], [append?.context]]);
    expect(wrote.at(-1)).toEqual([4n, append?.context]);
  });

  it('a follower that is written later belongs to its command, whoever has woken its stream', async () => {
    await add('before', ['copy']);
    log.rival('copy-copy', ...log.of('copy-copy').slice(0, 1));
    await add('follows', ['copy']);
    const command = spans.named('add follows')[0];
    const appends = spans.named('append').filter(({ parent }) => parent?.spanId === command?.context.spanId);
    expect(appends.map(({ set }) => set['holdfast.stream.kind'])).toEqual(['tally', 'copy']);
  });

  it('an append that fails ends with the name of its error, without its message', async () => {
    await add('before');
    log.fates.push(() => Promise.reject(new AppendRefused('canary', 'tally-a')));
    await expect(add('refused')).rejects.toThrow();
    const { set, ended } = spans.named('append').at(-1) ?? {};
    expect([ended?.failure, JSON.stringify(set).includes('canary')]).toEqual(['AppendRefused', false]);
    expect(wrote).toHaveLength(1);
  });

  it('an append of which no command is traced has no span', async () => {
    await loop.execute(tally, 'a', { key: 'untraced' }, contextAt());
    expect(spans.all).toEqual([]);
    open(new NotedSpans(false));
    await add('unrecorded');
    expect([spans.named('append'), wrote]).toEqual([[], []]);
  });

  it('the present span is that of the work that is done', async () => {
    const [outer, inner] = [spans.start('outer'), spans.start('inner')];
    const seen = await withSpan(outer, async () => {
      const within = withSpan(inner, () => presentSpan());
      return [within, await outsideCallDeadline(async () => presentSpan())];
    });
    expect(seen).toEqual([inner, outer]);
    expect(presentSpan()).toBeUndefined();
  });
});
