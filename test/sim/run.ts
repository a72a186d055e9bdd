import { Chaos } from './chaos.js';
import type { Fault, LeftOut } from './core/faults.js';
import type { Told } from './core/trace.js';
import { ENVIRONMENT } from './environment.js';
import { wholeService } from './embedded/installation.js';
import { cluster } from './shared/installation.js';
import { wholeOnEventStore } from './shared/whole-on-event-store.js';
import { AtRest } from './checks/at-rest.js';
import { Checks } from './checks/checks.js';
import { Health } from './checks/health.js';
import { LostEnd } from './checks/lost-end.js';
import { hearMistakes } from './checks/mistakes.js';
import { WorkInTime } from './checks/work-in-time.js';
import { LastOutage } from './last-outage.js';
import type { Operation } from './workload/operation.js';
import { Workload } from './workload/workload.js';
import { World } from './world/world.js';

const HOUR = 3_600_000;

/** One simulated world: everything in it follows from this. */
export interface Plan {
  readonly seed: string;
  /** How many commands the partners send. */
  readonly commands: number;
  /** The longest that it may last, in hours of the world. */
  readonly hours: number;
  readonly left?: LeftOut;
  /** The form of the installation; by default the seed chooses. */
  readonly form?: Form | undefined;
}

/** What happened in a world. */
export interface Result {
  /** Of everything that happened: two runs of one plan have the same. */
  readonly digest: string;
  readonly form: Form;
  readonly steps: number;
  /** Milliseconds of the world. */
  readonly lasted: number;
  readonly struck: ReadonlyMap<Fault, number>;
  /** Each strike of a fault, as `LeftOut.strikes` names it. */
  readonly strikes: readonly string[];
  /** What partners and operators were to do. */
  readonly operations: readonly Pick<Operation, 'index' | 'kind'>[];
  /** What was wrong; undefined if nothing was. */
  readonly failure: Error | undefined;
}

/** Listens to a world. */
export interface Listening {
  readonly told?: (told: Told) => void;
  /** Called with each line that the simulated processes log. */
  readonly logged?: (line: string) => void;
}

const WITH_UPDATES = { ...ENVIRONMENT, DAILY_UPDATE_AT: '09:00' };

/** The forms of an installation. */
const FORMS = { whole: wholeService, cluster, mixed: wholeOnEventStore };

export type Form = keyof typeof FORMS;

/** A world with several processes takes as long as three others. */
function formOf({ random }: World): Form {
  return random.of('form').one(['whole', 'whole', 'mixed', 'mixed', 'cluster']);
}

/** Lets a world happen, and checks it. */
export async function run(
  { seed, commands, hours, left, form: wanted }: Plan,
  { told, logged }: Listening = {},
): Promise<Result> {
  const world = new World(seed, left);
  if (told !== undefined) world.trace.listen(told);
  const form = wanted ?? formOf(world);
  const logger = hearMistakes((violation) => world.fail(violation), logged);
  const installation = FORMS[form](world, WITH_UPDATES, logger);
  const chaos = new Chaos(world, installation);
  const checks = new Checks(world, installation);
  const workload = new Workload(world, installation, commands, checks.witness);
  const story = async (): Promise<void> => {
    chaos.begin();
    checks.watchViews();
    new WorkInTime(world, installation).begin();
    new Health(world, installation).begin();
    await chaos.allUp();
    await workload.prepare();
    await workload.run();
    world.faults.stop();
    await new LastOutage(world, installation, workload).begin();
    await new AtRest(world, installation, workload, checks).check(() => chaos.allUp());
    await new LostEnd(world, installation, workload, checks).check(() => chaos.allUp());
  };
  // Node ends a process after either.
  const unhandled = (error: unknown): void => world.fail(new Error(`unhandled rejection: ${String(error)}`));
  const uncaught = (error: unknown): void => world.fail(new Error(`uncaught exception: ${String(error)}`));
  process.on('unhandledRejection', unhandled);
  process.on('uncaughtException', uncaught);
  let failure: Error | undefined;
  try {
    await world.until(story(), hours * HOUR);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  } finally {
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', uncaught);
  }
  const { scheduler, trace, faults } = world;
  return {
    strikes: faults.strikesInOrder,
    digest: trace.digest(),
    form,
    steps: scheduler.steps,
    lasted: scheduler.now,
    struck: faults.struck,
    operations: workload.operations,
    failure,
  };
}
