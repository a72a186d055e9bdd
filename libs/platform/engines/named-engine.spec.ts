import { describe, expect, it } from '@jest/globals';
import { embeddedLog } from './embedded-log.js';
import { eventStoreDbLog } from './eventstoredb-log.js';
import { stateEngineOf } from './state-engines.js';
import type { LogEngine } from './log-engine.js';
import { logEngineOf } from './log-engines.js';
import { engineNamedBy, whereIs } from './named-engine.js';
import type { LogEngineName } from './places.js';

const NOTHING = { eventStoreUrl: undefined, mongoUrl: undefined };
const SERVERS = { eventStoreUrl: 'esdb://ann:secret@a:1,b:2?tls=false', mongoUrl: 'mongodb://c:3/holdfast' };

describe('the engine that the configuration names', () => {
  it('is the embedded one, in the data folder, where it names none; and the demo is for that log alone', () => {
    expect(logEngineOf(NOTHING)).toMatchObject({ inFolder: true, demo: true });
    expect(stateEngineOf(NOTHING)).toMatchObject({ inFolder: true });
    expect(whereIs(logEngineOf(NOTHING), NOTHING)).toBe('the data folder');
  });

  it('is the one whose server it names, told by its hosts', () => {
    expect(logEngineOf(SERVERS)).toMatchObject({ inFolder: false, demo: false });
    expect(whereIs(logEngineOf(SERVERS), SERVERS)).toBe('EventStoreDB at a:1,b:2');
    expect(whereIs(stateEngineOf(SERVERS), SERVERS)).toBe('MongoDB at c:3');
    expect(stateEngineOf({ ...SERVERS, mongoUrl: undefined })).toMatchObject({ inFolder: true });
  });

  it('is a third one by its own setting, and does not fall into another’s branch', () => {
    const third: LogEngine = { ...embeddedLog, demo: false, server: () => ({ name: 'Third', url: 'third://d:4' }) };
    const engines = { embedded: embeddedLog, eventstoredb: eventStoreDbLog, third };
    expect(engineNamedBy(NOTHING, engines)).toBe(third);
    expect(whereIs(third, NOTHING)).toBe('Third at d:4');
  });

  it('does not compile without its entry', () => {
    // @ts-expect-error eventstoredb has no entry
    const some: Readonly<Record<LogEngineName, LogEngine>> = { embedded: embeddedLog };
    expect(Object.keys(some)).toEqual(['embedded']);
  });
});
