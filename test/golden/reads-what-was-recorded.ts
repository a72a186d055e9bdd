import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectAgreement } from '../campaigns/money/agreement.js';
import { claim, reserve } from '../support/buying.js';
import { cardOf, GOOD_CARD, personOf } from '../support/cards.js';
import { viewRowsOf } from '../support/data-folder.js';
import { naiveFold } from '../support/naive-fold.js';
import { type Json, type TestPartner } from '../support/running-service.js';
import { expectCertified } from '../support/certified.js';
import { expectSoundLog } from '../support/sound-log.js';
import { gatewayDone, viewsDone, workDone } from '../support/work-done.js';
import { Asking } from './asking.js';
import { held, heldTo } from './held.js';
import { Opened } from './opened.js';
import { moneyOf } from './recording.js';

/** Seconds until a caller may repeat a request that a kill cut off, even with the longest wait for the gateway. */
const UNTIL_FREE = 120;

/**
 * The suite of one recorded folder.
 * @param folder finds it, or records it
 */
export function readsWhatWasRecorded(name: string, folder: () => Promise<string>): void {
  describe(`what was recorded: ${name}`, () => suite(folder));
}

function suite(folder: () => Promise<string>): void {
  let opened: Opened;
  let asking: Asking;
  /** The error of the request that was running at the kill. */
  let runningAtFirst: string | undefined;
  let acme: Pick<TestPartner, 'key'>;

  beforeAll(async () => {
    opened = new Opened(await folder());
    acme = { key: opened.recording.credentials.acme };
    await start({ TIMERS: 'false' });
    // At once: its key is free some time after the kill.
    runningAtFirst = (await asking.send(opened.recording.running)).body.error_type;
  });
  afterAll(() => opened.discard());

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    asking = new Asking(await opened.start(env), opened.recording.credentials);
  }
  const fulfilled = async (id: string): Promise<Json> => {
    const { body } = await opened.service.look(`/purchases/${id}`, acme.key);
    return [id, body.purchase.payment_state, body.purchase.fulfillment_state, body.purchase.coupons.map(idOf)];
  };
  const idOf = ({ id }: Json): string => id as string;

  it('opens as the same shop: callers get the recorded answers again', async () => {
    const { answers } = opened.recording;
    expect(answers.length).toBeGreaterThan(100);
    for (const recorded of answers) {
      const request = `${recorded.as} ${recorded.method} ${recorded.path}`;
      expect([request, held(recorded, await asking.send(recorded))]).toEqual([request, heldTo(recorded)]);
    }
  });

  it('has every sale that callers were told of before the kill, and causes no request to the gateway', async () => {
    const { acknowledged, money } = opened.recording;
    for (const { id, coupons } of acknowledged) {
      expect(await fulfilled(id)).toEqual([id, 'charged', 'fulfilled', coupons]);
    }
    expect(moneyOf(opened.ledger())).toEqual(money);
  });

  it('lets a caller repeat a request that was running, once its key is free, and runs it once', async () => {
    expect(runningAtFirst).toBe('already_processing');
  });

  it('has the views that its log leads to, both those on disk and those that this build rebuilds', async () => {
    const rows = async (): Promise<Awaited<ReturnType<typeof viewRowsOf>>> => {
      await viewsDone(opened.service);
      return viewRowsOf(opened.dataDir);
    };
    const found = await rows();
    expect(found.get('purchases')?.length).toBeGreaterThan(20);
    await opened.stop();
    opened.loseViews();
    await start({ TIMERS: 'false' });
    const built = await rows();
    const folded = naiveFold(await opened.events());
    for (const [view, rows] of folded) {
      expect([view, built.get(view)]).toEqual([view, rows]);
      expect([view, found.get(view)]).toEqual([view, rows]);
    }
  });

  it('sells: open holds and stock, with a stored card and with a new one', async () => {
    const { service, recording } = opened;
    const { deal, price, user, card, held: hold } = recording.sells;
    expect((await claim(service, acme.key, hold, user)).fulfillment_state).toBe('fulfilled');
    const { id } = await reserve(service, acme.key, deal, 2);
    expect((await claim(service, acme.key, id, user)).coupons).toHaveLength(2);
    const buy = async (path: string, more: Json): Promise<void> => {
      const answer = await service.ask('POST', path, { key: acme.key, body: { deal_id: deal, quantity: 1, ...more } });
      expect([path, answer.status, answer.body.purchase.payment_state]).toEqual([path, 200, 'charged']);
    };
    await buy('/purchases', { user_id: user, credit_card_id: card, expected_price_per_unit: price });
    await buy('/purchases/full', { user: personOf('later@example.org'), credit_card: cardOf(GOOD_CARD) });
    await buy('/purchases/full', { user_id: user, credit_card: cardOf(GOOD_CARD) });
  });

  it('settles the unknown outcomes; then ledger and log agree on every purchase, and no deal is oversold', async () => {
    await opened.stop();
    await start();
    const { service, recording } = opened;
    await service.forward(UNTIL_FREE);
    await gatewayDone(service);
    await workDone(service);
    for (const id of recording.pending) {
      expect((await fulfilled(id)).slice(0, 3)).toEqual([id, 'charged', 'fulfilled']);
    }
    const again = await asking.send(recording.running);
    expect([again.status, again.body.purchase.payment_state]).toEqual([200, 'charged']);
    expect((await asking.send(recording.running)).text).toBe(again.text);
    await gatewayDone(service);
    const events = await opened.events();
    expectSoundLog(events);
    await expectCertified(events);
    expect(expectAgreement(events, opened.ledger()).charged).toBeGreaterThan(15);
  });
}
