import { crashTests } from './crash-tests.js';
import { checkoutUseCases } from './checkout.use-cases.js';

crashTests(checkoutUseCases);
