import { nightlyCrashTests } from './crash-tests.js';
import { administrationUseCases } from './administration.use-cases.js';
import { cardUseCases } from './cards.use-cases.js';
import { checkoutUseCases } from './checkout.use-cases.js';
import { claimUseCases } from './claim.use-cases.js';
import { engagementUseCases } from './engagement.use-cases.js';
import { mailingUseCases } from './mailing.use-cases.js';
import { peopleUseCases } from './people.use-cases.js';
import { resellerUseCases } from './resellers.use-cases.js';
import { reservationUseCases } from './reservation.use-cases.js';

nightlyCrashTests([
  ...administrationUseCases,
  ...cardUseCases,
  ...checkoutUseCases,
  ...claimUseCases,
  ...engagementUseCases,
  ...mailingUseCases,
  ...peopleUseCases,
  ...resellerUseCases,
  ...reservationUseCases,
]);
