import { writeFileSync } from 'node:fs';
import { EVENTS_PAGE, eventsPage } from './events-page.js';

// `npm run events:page`: writes docs/events.md from the words of events (libs/auditing/words) and their samples.
writeFileSync(EVENTS_PAGE, eventsPage());
