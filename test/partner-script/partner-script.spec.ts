import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { discardLeftovers } from '../support/running-service.js';
import { isBesides } from './besides.js';
import { prepareWorld } from './preparation/prepare-world.js';
import { startForScript, type Stage } from './preparation/start.js';
import { runScript } from './script.js';
import { type World } from './world.js';

/** Milliseconds: it needs ten seconds on a machine with nothing else to do. */
const PATIENCE = 600_000;

/** Without the table and the exit status, which are for the command. */
async function runQuietly(...[service, world]: Parameters<typeof runScript>): ReturnType<typeof runScript> {
  const table = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const { exitCode } = process;
  try {
    return await runScript(service, world);
  } finally {
    table.mockRestore();
    process.exitCode = exitCode;
  }
}

describe('a partner who knows only the interface', () => {
  let stage: Stage | undefined;
  let world: World;

  beforeAll(async () => {
    stage = await startForScript();
    world = await prepareWorld(stage.service);
  }, PATIENCE);
  afterAll(async () => {
    await stage?.discard();
    await discardLeftovers();
  });

  it(
    'is answered in every step of the script as the interface promises',
    async () => {
      if (stage === undefined) throw new Error('there is no service');
      const { calls, differences, leftOut } = await runQuietly(stage.service, world);
      const unexpected = differences.filter((each) => !isBesides(each));
      expect({ unexpected, leftOut }).toEqual({ unexpected: [], leftOut: [] });
      expect(calls).toBeGreaterThan(450);
    },
    PATIENCE,
  );
});
