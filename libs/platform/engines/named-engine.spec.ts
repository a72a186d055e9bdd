import { describe, expect, it } from '@jest/globals';
import { embeddedLog } from './embedded-log.js';
import { eventStoreDbLog } from './eventstoredb-log.js';
import { stateEngineOf } from './state-engines.js';
import type { LogEngine } from './log-engine.js';
import { logEngineOf } from './log-engines.js';
import { engineNamedBy, whereIs } from './named-engine.js';
import type { LogEngineName } from './locations.js';
import { timersEngineOf } from './timers-engines.js';

const NOTHING = { eventStoreUrl: undefined, mongoUrl: undefined, redisUrl: undefined };
const SERVERS = {
  eventStoreUrl: 'esdb://ann:secret@a:1,b:2?tls=false',
  mongoUrl: 'mongodb://c:3/holdfast',
  redisUrl: 'redis://:secret@e:5',
};

describe('the engine in the configuration', () => {
  it('is by default the embedded one, in the data folder; only with that log is there a demo', () => {
    expect(logEngineOf(NOTHING)).toMatchObject({ inFolder: true, demo: true });
    expect(stateEngineOf(NOTHING)).toMatchObject({ inFolder: true });
    expect(whereIs(logEngineOf(NOTHING), NOTHING)).toBe('the data folder');
    expect(whereIs(timersEngineOf(NOTHING), NOTHING)).toBe('this process');
  });

  it('is the one whose server is configured, and its description names the hosts', () => {
    expect(logEngineOf(SERVERS)).toMatchObject({ inFolder: false, demo: false });
    expect(whereIs(logEngineOf(SERVERS), SERVERS)).toBe('EventStoreDB at a:1,b:2');
    expect(whereIs(stateEngineOf(SERVERS), SERVERS)).toBe('MongoDB at c:3');
    expect(whereIs(timersEngineOf(SERVERS), SERVERS)).toBe('Redis at e:5');
    expect(stateEngineOf({ ...SERVERS, mongoUrl: undefined })).toMatchObject({ inFolder: true });
  });

  it('can be a third one, selected by its own setting', () => {
    const third: LogEngine = { ...embeddedLog, demo: false, server: () => ({ name: 'Third', url: 'third://d:4' }) };
    const engines = { embedded: embeddedLog, eventstoredb: eventStoreDbLog, third };
    expect(engineNamedBy(NOTHING, engines)).toBe(third);
    expect(whereIs(third, NOTHING)).toBe('Third at d:4');
  });

  it('is never one of two: the start says which servers are named', () => {
    const third: LogEngine = { ...embeddedLog, server: () => ({ name: 'Third', url: 'third://d:4' }) };
    const engines = { embedded: embeddedLog, eventstoredb: eventStoreDbLog, third };
    expect(() => engineNamedBy(SERVERS, engines)).toThrow(
      'Invalid environment: it names EventStoreDB at a:1,b:2 and Third at d:4, of which a process uses one.',
    );
  });

  it('does not compile if an entry is missing', () => {
    // @ts-expect-error eventstoredb has no entry
    const some: Readonly<Record<LogEngineName, LogEngine>> = { embedded: embeddedLog };
    expect(Object.keys(some)).toEqual(['embedded']);
  });
});
