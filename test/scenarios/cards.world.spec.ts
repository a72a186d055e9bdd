import { crashTests } from './crash-tests.js';
import { cardUseCases } from './cards.use-cases.js';

crashTests(cardUseCases);
