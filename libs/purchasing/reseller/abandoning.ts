import { type Work, type Writer } from '#eventsourcing';
import { completeOutcome } from '../checkout/outcome.js';
import { purchase } from '../purchase/purchase.decider.js';
import { openResales, type OpenResale } from './open-resales.work.js';

/**
 * Gives up a resale whose call broke off, so that its units are free again; its reseller got no answer. If the purchase has
 * decided about it already, only the inventory does not know: the work list of followers takes a later decision's follower
 * in that inventory for those of all earlier decisions.
 */
export function abandoning(writer: Writer): Work<OpenResale> {
  return {
    list: openResales,
    async run(resale_id, { purchase_id, deal_id }) {
      const command = { type: 'abandon-resale', resale: { purchase_id, resale_id, deal_id } } as const;
      const context = writer.newContext(`system:${openResales.name}`);
      const { events } = await writer.execute(purchase, purchase_id, command, context);
      if (events.length === 0) await completeOutcome(writer, purchase_id);
    },
  };
}
