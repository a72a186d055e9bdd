import { crashTests } from './crash-tests.js';
import { mailingUseCases } from './mailing.use-cases.js';

crashTests(mailingUseCases);
