import { crashTests } from './crash-tests.js';
import { resellerUseCases } from './resellers.use-cases.js';

crashTests(resellerUseCases);
