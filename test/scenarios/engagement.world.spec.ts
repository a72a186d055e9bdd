import { crashTests } from './crash-tests.js';
import { engagementUseCases } from './engagement.use-cases.js';

crashTests(engagementUseCases);
