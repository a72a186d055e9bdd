import type { Looks } from '../looks.js';
import { contradictionsIn } from '../settings-look.js';
import { look, ok, type Result, together, wrong } from '../verdict.js';
import { someOf } from '../words.js';

const ROLES = {
  all: 'one process does everything',
  api: 'processes share three servers',
  worker: 'processes share three servers',
} as const;

/** Whether a start takes the settings, and whether they contradict each other. */
export async function checkSettings({ settings, environment, unknown }: Looks): Promise<Result> {
  const { set, wrong: faults, config } = settings;
  const facts = `${set.length === 0 ? 'none' : set.length} set; ${ROLES[config.role]}`;
  return together([
    ok(facts),
    ...faults.map((fault) => wrong(fault, `Correct ${fault.split(' ')[0]}: a start refuses it.`)),
    ...contradictionsIn(settings, environment).map(({ what, todo }) => look(what, todo)),
    ...(unknown.length === 0
      ? []
      : [
          look(
            `Holdfast does not know ${someOf(unknown)}`,
            'Compare the names with .env.example: a mistyped setting has no effect.',
          ),
        ]),
  ]);
}
