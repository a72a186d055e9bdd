import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { change, type Failure } from './api.js';
import { words } from './format.js';
import { go } from './router.js';
import { Empty, Failed, failureOf, Waiting } from './ui/loaded.js';
import { eventPath } from './ui/timeline.js';
import { Go, Head, State } from './ui/parts.js';

/** Something that a search has found. */
interface Thing {
  readonly kind: string;
  readonly id: string;
  readonly matched: string;
  readonly item: Readonly<Record<string, string | number | boolean | null>>;
}

/** What was searched last. It stands in no address, because it may be a person’s. */
const searched = signal<{ readonly found?: readonly Thing[]; readonly failure?: Failure } | undefined>(undefined);

const PAGES: Readonly<Record<string, string>> = {
  deal: '/deals/',
  purchase: '/purchases/',
  reservation: '/purchases/',
  coupon: '/coupons/',
  user: '/users/',
  batch: '/batches/',
  partner: '/partners/',
  region: '/streams/region-',
  card_link: '/streams/cardLink-',
  subscription: '/streams/subscription-',
  saved_deal: '/streams/savedDeal-',
  access_token: '/streams/accessToken-',
  import: '/streams/import-',
  stream: '/streams/',
};

/** The page of something that was found. */
function pathOf({ kind, id, item }: Thing): string {
  if (kind === 'event') return eventPath(id);
  if (kind === 'credit_card') return `/users/${String(item['user_id'])}`;
  return `${PAGES[kind] ?? '/streams/'}${encodeURIComponent(id)}`;
}

async function search(q: string): Promise<void> {
  searched.value = {};
  try {
    const { found } = await change<{ readonly found: readonly Thing[] }>('POST', '/operators/find', { q });
    const things = found.filter(({ kind }) => kind !== 'stream');
    const [only] = things.length === 0 ? found : things;
    searched.value = { found };
    if (only !== undefined && (things.length === 1 || found.length === 1)) go(pathOf(only));
    else go('/found');
  } catch (error) {
    searched.value = { failure: failureOf(error) };
    go('/found');
  }
}

/** The field that is always there. `/` goes to it. */
export function Search(): VNode {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select, dialog *');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    const q = field.current?.value.trim() ?? '';
    if (q !== '') void search(q);
  };
  return (
    <form class="search" role="search" aria-label="Everything" onSubmit={submit}>
      <input
        ref={field}
        type="search"
        aria-label="Search for anything"
        placeholder="Id, e-mail, last four, barcode, reference, deal, event …"
        autoComplete="off"
        spellcheck={false}
        enterkeyhint="search"
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

/** What a search has found, if that is not one thing alone. */
export function FoundPage(): VNode {
  const { value } = searched;
  return (
    <>
      <Head title="Found" />
      {value === undefined && (
        <Empty title="Nothing was searched yet.">Press / and type what you hold in your hand.</Empty>
      )}
      {value?.failure !== undefined && <Failed failure={value.failure} />}
      {value !== undefined && value.found === undefined && value.failure === undefined && <Waiting />}
      {value?.found?.length === 0 && (
        <Empty title="Nothing has this name.">
          An id, a barcode and a reference must be whole. The last four digits of a card, an e-mail address and the
          address of a QR code are found, too.
        </Empty>
      )}
      {value?.found !== undefined && value.found.length > 0 && (
        <ul class="found">
          {value.found.map((thing) => (
            <li key={`${thing.kind} ${thing.id} ${thing.matched}`}>
              <span class="kind">{words(thing.kind)}</span>
              <Go to={pathOf(thing)}>{String(thing.item['title'] ?? thing.item['name'] ?? thing.id)}</Go>
              {typeof thing.item['state'] === 'string' && <State of={thing.item['state']} />}
              <span class="soft">by its {words(thing.matched)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
