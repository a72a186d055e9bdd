import { crashTests } from './crash-tests.js';
import { administrationUseCases } from './administration.use-cases.js';

crashTests(administrationUseCases);
