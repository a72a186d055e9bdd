import { crashTests } from './crash-tests.js';
import { reservationUseCases } from './reservation.use-cases.js';

crashTests(reservationUseCases);
