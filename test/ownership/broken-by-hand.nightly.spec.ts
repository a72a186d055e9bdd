import { BREAKS, MORE_BREAKS } from '../support/broken-log.js';
import { IN_CI } from './broken-by-hand.table.js';
import { testBreaks } from './broken-by-hand.tests.js';

testBreaks([...BREAKS, ...MORE_BREAKS].filter(({ name }) => !IN_CI.has(name)));
