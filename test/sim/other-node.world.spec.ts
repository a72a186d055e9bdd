import { expect } from '@jest/globals';
import { itOnOtherNode, OTHER_NODE } from '../support/other-node.js';
import { FINE, simulate } from './simulate.js';

itOnOtherNode(
  'simulated worlds of the kept seeds are the same on another version of Node',
  async () => {
    expect(await simulate(OTHER_NODE, '--kept')).toEqual(FINE);
  },
  300_000,
);
