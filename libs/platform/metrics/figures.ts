import { RequestFigures } from '#http';
import { SalesFigures } from '#purchasing';
import { LogFigures } from './measured-log.js';
import { GatewayFigures } from './measured-gateway.js';
import { type MailFigures, noMails } from './measured-mailer.js';

/** What the parts of a process count while they work: plain numbers, which metrics look at now and then. */
export class Figures {
  readonly requests = new RequestFigures();
  readonly sales = new SalesFigures();
  readonly log = new LogFigures();
  readonly gateway = new GatewayFigures();
  readonly mails: MailFigures = noMails();
}
