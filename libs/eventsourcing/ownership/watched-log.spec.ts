import { expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { AppendOutcomeUnknown, WatchedLog } from '#eventsourcing';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { numbered } from '../../../test/support/numbered.js';

// Health says that appends get no answer, and so nobody sends any: the log itself is asked.
it('a log whose appends get no answer is stalled until one would be answered, though nobody appends meanwhile', async () => {
  let answers = false;
  let asked = 0;
  const scripted = Object.assign(new ScriptedLog(), {
    async probe() {
      asked += 1;
      if (!answers) throw new Error('no leader');
    },
  });
  scripted.fates.push(() => Promise.reject(new AppendOutcomeUnknown('no answer')));
  const passes = (): Promise<void> => Promise.resolve();
  const guard = { open: true, passed: passes, heed: passes, doubt: () => undefined };
  const log = new WatchedLog(scripted, guard, () => undefined);
  await expect(log.append([numbered('deal-1', -1, 1)])).rejects.toThrow(AppendOutcomeUnknown);
  while (asked === 0) await pause(50);
  expect(log.stalled).toBe(true);
  answers = true;
  while (asked === 1) await pause(50);
  await pause(10);
  expect(log.stalled).toBe(false);
  await pause(700);
  expect(asked).toBe(2);
});
