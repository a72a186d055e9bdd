import { html, type Html, ownHtml } from '#http';
import type { LinkedMails } from './mail-link.queries.js';

/** A page for somebody who followed a link in a mail. */
export interface LinkPage {
  readonly title: string;
  readonly content: Html;
}

/** The user has confirmed a subscription. */
export function confirmedPage({ region, isWanted }: LinkedMails): LinkPage {
  if (!isWanted) {
    return said(
      'This subscription has ended',
      html`You get no mails about deals in ${region ?? ''}: you have unsubscribed.`,
    );
  }
  return said(
    'Your subscription is confirmed',
    html`You get the deals in ${region ?? ''} by e-mail. Every mail has a link that ends this.`,
  );
}

/** Asks whether the user wants the mails (ruling I14): a program that opens every link of a mail must not consent for them. */
export function askToConfirmPage({ region }: LinkedMails): LinkPage {
  return page(
    'Confirm your subscription',
    html`<p>Do you want a daily e-mail with the deals in ${region ?? ''}? Every mail has a link that ends this.</p>
      ${button('Confirm')}`,
  );
}

/** Asks whether the user really wants to unsubscribe: a program that opens every link of a mail must not do it. */
export function askToEndPage({ region }: LinkedMails): LinkPage {
  const mails = mailsOf(region);
  return page(
    'Unsubscribe',
    html`<p>You get ${mails}. Do you want no more of them?</p>
      ${button('Unsubscribe')}`,
  );
}

/** The user has unsubscribed. */
export function endedPage({ region }: LinkedMails): LinkPage {
  return said('You have unsubscribed', html`You get no more ${mailsOf(region)}.`);
}

/** Nobody signed the address, or it was cut. */
export function unknownPage(): LinkPage {
  return said('This link does not work', html`Copy the whole address from the mail.`);
}

/** The user has another e-mail address than the one that the link was mailed to. */
export function outdatedPage({ region }: LinkedMails): LinkPage {
  return said(
    'This link is for another e-mail address',
    html`Your address has changed since. To get mails about deals in ${region ?? ''}, subscribe again: then you get a
    link at your new address.`,
  );
}

function mailsOf(region: string | null): Html {
  return region === null ? html`mails with single deals from this sender` : html`mails about deals in ${region}`;
}

/** Does what the link is for: it sends a POST to the page's own address. */
function button(words: string): Html {
  return ownHtml`<form method="post"><button type="submit">${words}</button></form>`;
}

function said(title: string, words: Html): LinkPage {
  return page(title, html`<p>${words}</p>`);
}

function page(title: string, below: Html): LinkPage {
  return {
    title,
    content: ownHtml`<main>
      <h1>${title}</h1>
      ${below}
    </main>`,
  };
}
