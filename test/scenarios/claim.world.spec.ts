import { crashTests } from './crash-tests.js';
import { claimUseCases } from './claim.use-cases.js';

crashTests(claimUseCases);
