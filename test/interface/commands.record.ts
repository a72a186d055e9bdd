import { writeFileSync } from 'node:fs';
import { COMMANDS_PAGE, pageOfCommands } from './commands.page.js';

// `npm run commands:page`: writes the page of commands.
writeFileSync(COMMANDS_PAGE, pageOfCommands());
