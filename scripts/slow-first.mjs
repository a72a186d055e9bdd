/**
 * The order of specs in Jest: those with whole processes first, so that no slow one runs alone at the end. The first of these wait
 * most: the checks beside the specs use the processors meanwhile.
 */
import Sequencer from '@jest/test-sequencer';

/** Parts of paths, the slowest first. All other specs come after them. */
const SLOW = [
  '/test/interface/backup.spec',
  '/libs/platform/weights',
  '/test/architecture/npm-scripts',
  '/test/interface/data-folder',
  '/test/interface/conventions',
  '/test/ownership/',
  '/test/golden/',
  '/test/campaigns/scale/',
  '/test/campaigns/cluster/',
  '/test/architecture/',
  '/test/scenarios/',
  '/test/interface/',
  '/test/partner-script/',
  '/test/campaigns/',
  '/test/sim/',
  '/libs/adapters/',
  '/test/support/',
  '/libs/eventsourcing/projections/',
  '/libs/mailing/mail/templates/in-a-browser.world',
];

const rank = ({ path }) => {
  const found = SLOW.findIndex((part) => path.includes(part));
  return found === -1 ? SLOW.length : found;
};

export default class SlowFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
