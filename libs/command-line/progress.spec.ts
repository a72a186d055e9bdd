import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { CommandFailure } from './command-failure.js';
import { follow } from './progress.js';
import type { Generation, ProjectionsClient } from './projections-client.js';

const building: Generation = {
  number: 2,
  state: 'building',
  progress: 0.5,
  events_per_second: 20_000,
  time_left: 75,
  last_error: null,
};
const never = new AbortController().signal;

/** A service that reports these one after another, then repeats the last one; undefined: it does not answer. */
function telling(...states: readonly (readonly Generation[] | undefined)[]): ProjectionsClient {
  let asked = 0;
  return {
    generations: () => {
      const answer = states[Math.min(asked, states.length - 1)];
      asked += 1;
      return answer === undefined
        ? Promise.reject(new CommandFailure('No service answers', 3))
        : Promise.resolve(answer);
    },
  } as unknown as ProjectionsClient;
}

/** Follows generation 2, and returns the written progress. */
async function followed(
  projections: ProjectionsClient,
  how: { readonly isTTY?: boolean; readonly json?: boolean; readonly interrupted?: AbortSignal } = {},
): Promise<{ readonly written: string; readonly failure: CommandFailure | undefined }> {
  const err = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: how.isTTY ?? false });
  const output = { out: new PassThrough(), err, form: how.json === true ? 'json' : 'people' } as const;
  const waiting = { interrupted: how.interrupted ?? never, time: thisMachine.time };
  const failure = await follow(projections, { view: 'coupons', number: 2 }, output, waiting).then(
    () => undefined,
    (error: unknown) => error as CommandFailure,
  );
  return { written: String(err.read() ?? ''), failure };
}

describe('G6: the progress of a rebuild', () => {
  it('is a bar in a terminal', async () => {
    const { written, failure } = await followed(telling([building], [{ ...building, state: 'ready', progress: 1 }]), {
      isTTY: true,
    });
    expect(failure).toBeUndefined();
    expect(written).toMatch(/generation 2 of coupons \[=+-+\] 50 % \| 20,000 events\/s \| 1 min 15 s left/);
    expect(written).toMatch(/\[={30}\] 100 % \| 20,000 events\/s \| ready/);
  });

  it('is lines elsewhere, and nothing for machines', async () => {
    const states = [[building], [{ ...building, state: 'ready', progress: 1 }]] as const;
    expect((await followed(telling(...states))).written).toBe(
      'generation 2 of coupons: 50 %, 20,000 events/s, 1 min 15 s left\ngeneration 2 of coupons: ready\n',
    );
    expect((await followed(telling(...states), { json: true })).written).toBe('');
  });

  it('waits until the generation is reported', async () => {
    expect((await followed(telling([], [], [{ ...building, state: 'ready' }]))).failure).toBeUndefined();
  });

  it('goes on after the service was away for a moment', async () => {
    expect((await followed(telling(undefined, undefined, [{ ...building, state: 'live' }]))).failure).toBeUndefined();
  });

  it('ends with what to do next if the rebuild stopped, failed, was cancelled, is gone, or the command is interrupted', async () => {
    const stopped = { ...building, state: 'stopped', last_error: 'coupons cannot take x@1' } as const;
    expect((await followed(telling([building], [stopped]))).failure).toMatchObject({
      exitCode: 1,
      message:
        'Generation 2 of coupons has stopped: coupons cannot take x@1. `projections resume coupons` tries the event again, ' +
        '`projections skip coupons` skips it.',
    });
    expect((await followed(telling([building], []))).failure).toMatchObject({
      exitCode: 1,
      message:
        'Generation 2 of coupons is gone: the process that builds the views was restarted, and its log says why. ' +
        '`projections rebuild coupons` starts again.',
    });
    const failed = { ...building, state: 'failed', last_error: 'the disk is full' } as const;
    expect((await followed(telling([building], [failed]))).failure).toMatchObject({
      exitCode: 1,
      message: 'Generation 2 of coupons has failed: the disk is full. `projections rebuild coupons` starts again.',
    });
    expect((await followed(telling([building], [{ ...building, state: 'cancelled' }]))).failure).toMatchObject({
      exitCode: 1,
      message: 'Generation 2 of coupons was cancelled. `projections rebuild coupons` starts again.',
    });
    const interruption = new AbortController();
    setTimeout(() => interruption.abort(), 50);
    expect((await followed(telling([building]), { interrupted: interruption.signal })).failure).toMatchObject({
      exitCode: 130,
      message:
        'Generation 2 of coupons is still being built. `projections generations coupons --watch` follows it, ' +
        '`projections cancel coupons 2` ends it.',
    });
  });
});
