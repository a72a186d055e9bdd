import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canTrace } from '../../campaigns/power/strace.js';
import { patience, size, tell } from '../../campaigns/size.js';
import { discardLeftovers } from '../../support/running-service.js';
import { type Depth, type Failure, firstFailure, oneCut } from './cases.js';
import { DEFECTS } from './defects.js';
import { recordStory, type Size, type Story } from './record.js';
import { loadStory, saveStory } from './story-file.js';

/** How often the power is cut. */
const CUTS = size('DISK', 12);
/** Of so many cuts, one is opened by everything but HTTP, and one by a start of the whole service. */
const SERVICE_EVERY = 6;
const START_EVERY = 150;
/** Every cut of a seed is the same on the same recording only: `DISK_STORY=<file> DISK_SEED=<seed>` repeats one that failed. */
const { DISK_STORY, DISK_SEED } = process.env;
const FIRST = Number(DISK_SEED ?? 0);

const FULL: Size = { rounds: 6, longDeals: 130, turnOvers: ['deals', 'purchases', 'coupons'], again: true };
const SMALL: Size = { rounds: 1, longDeals: 0, turnOvers: [], again: false };
/** `npm test` plants two defects that the first cuts show; the campaign plants all. */
const PLANTED =
  size('DISK', 0) > 0 ? DEFECTS : DEFECTS.filter(({ name }) => /WAL only for checkpoints|syncs a folder/.test(name));
/** Each defect must be found within so many cuts. */
const WITHIN = 400;

const traced = canTrace() ? describe : describe.skip;
if (!canTrace())
  process.stderr.write(
    '\nNOT PROVED HERE: that a power cut loses nothing that was answered (there is no working strace)\n\n',
  );

const depthOf = (seed: number): Depth => {
  if (seed % START_EVERY === START_EVERY - 1) return 'start';
  return seed % SERVICE_EVERY === 0 ? 'service' : 'files';
};

traced('what the power leaves of the files of the embedded adapter', () => {
  let story: Story;
  beforeAll(
    async () => {
      story = DISK_STORY === undefined ? await recordStory(CUTS > 100 ? FULL : SMALL) : loadStory(DISK_STORY);
    },
    patience(1, 900_000),
  );
  afterAll(discardLeftovers);

  it(
    'A8: has everything that was answered, and the real build opens it, whatever became of unsynced writes',
    async () => {
      const began = performance.now();
      const failures: Failure[] = [];
      const cuts = { files: 0, service: 0, start: 0 };
      for (let seed = FIRST; seed < FIRST + (DISK_SEED === undefined ? CUTS : 1); seed += 1) {
        const depth = depthOf(seed);
        cuts[depth] += 1;
        const failure = await oneCut(story, seed, depth);
        if (failure !== undefined) failures.push(failure);
      }
      const perSecond = (CUTS / (performance.now() - began)) * 1000;
      const { operations } = story.recording;
      tell(
        'DISK',
        `${operations.length} recorded operations; ${JSON.stringify(cuts)} cuts, ${perSecond.toFixed(1)} per second`,
      );
      if (failures.length > 0 && DISK_STORY === undefined) {
        const kept = join(tmpdir(), `holdfast-disk-${process.pid}.story`);
        saveStory(kept, story);
        process.stderr.write(
          `\nThe recording is kept: DISK_STORY=${kept} DISK_SEED=${failures[0]?.seed} repeats the first failure\n`,
        );
      }
      expect(failures).toEqual([]);
    },
    patience(CUTS, 5_000),
  );

  // The checker itself: a build with one of these defects would not pass.
  it.each(PLANTED.map((defect) => [defect.name, defect] as const))(
    'shows the defect that %s',
    async (name, { needs, plant }) => {
      const planted = { ...story, recording: plant(story.recording) };
      const found = await firstFailure(planted, needs, { from: 0, to: WITHIN });
      tell('DISK', `${name}: found by seed ${found?.seed}: ${found?.reason.slice(0, 160)}`);
      expect(found?.reason).toBeDefined();
    },
    patience(WITHIN, 5_000),
  );
});
