import { beforeEach, describe } from '@jest/globals';
import { ScriptedLog } from '../support/scripted-log.js';
import { appendPromises } from './event-log.contract.js';

describe.each([true, false])('the scripted log (knows ids: %s)', (knowsIds) => {
  let log: ScriptedLog;

  beforeEach(() => {
    log = new ScriptedLog(knowsIds);
  });
  appendPromises(() => log);
});
