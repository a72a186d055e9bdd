import type { ComponentChildren, VNode } from 'preact';
import { moment, shortId, words } from '../format.js';
import { hrefOf } from '../router.js';

/** A link to another page of the console. */
export function Go({
  to,
  children,
  title,
}: {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly title?: string;
}): VNode {
  return (
    <a href={hrefOf(to)} title={title}>
      {children}
    </a>
  );
}

/** A moment in the zone of whoever looks, with UTC on hover. @param at in any form of the interface */
export function When({ at }: { readonly at: string | null }): VNode {
  if (at === null || Number.isNaN(Date.parse(at))) return <span class="soft">–</span>;
  const iso = new Date(at).toISOString();
  const utc = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return (
    <time dateTime={iso} title={utc}>
      {moment(at)}
    </time>
  );
}

type Tone = 'good' | 'warn' | 'bad' | 'calm';

const TONES: Readonly<Record<string, Tone>> = {
  ...Object.fromEntries(
    [
      'in-flight',
      'valid',
      'fulfilled',
      'charged',
      'live',
      'ready',
      'active',
      'processed',
      'sent',
      'linked',
      'ended',
    ].map((name) => [name, 'good']),
  ),
  ...Object.fromEntries(
    [
      'paused',
      'pending',
      'reserved',
      'in-review',
      'building',
      'waiting',
      'delayed',
      'under-way',
      'begun',
      'suspended',
    ].map((name) => [name, 'warn']),
  ),
  ...Object.fromEntries(
    ['cancelled', 'declined', 'failed', 'stopped', 'silent', 'rejected', 'broken', 'revoked'].map((name) => [
      name,
      'bad',
    ]),
  ),
};

/** A state in one word, and its colour: the word alone says everything. */
export function State({ of, tone = TONES[of] ?? 'calm' }: { readonly of: string; readonly tone?: Tone }): VNode {
  return <span class={`state ${tone}`}>{words(of)}</span>;
}

/** An id: its beginning, and all of it on hover and to copy. */
export function Id({ of, to }: { readonly of: string; readonly to?: string }): VNode {
  const short = shortId(of);
  const shown = <code title={of === short ? undefined : of}>{short}</code>;
  return to === undefined ? shown : <Go to={to}>{shown}</Go>;
}

/** Facts about one thing, as names and values. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ComponentChildren])[] }): VNode {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === null || value === '' ? <span class="soft">–</span> : value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A part of a page. */
export function Part({
  title,
  children,
  aside,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly aside?: ComponentChildren;
}): VNode {
  return (
    <section class="part" aria-label={title}>
      <header class="row apart">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** The head of a page: what kind of thing it shows, its name, its state, and what can be done with it. */
export function Head({
  kind,
  all,
  title,
  state,
  children,
}: {
  readonly kind?: string;
  /** The path of the list that has all of them. */
  readonly all?: string;
  readonly title: ComponentChildren;
  readonly state?: ComponentChildren;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <header class="head">
      <div>
        {kind !== undefined && <p class="kind">{all === undefined ? kind : <Go to={all}>{kind}</Go>}</p>}
        <h1 tabIndex={-1} id="title">
          {title} {state}
        </h1>
      </div>
      {children !== undefined && <div class="row actions">{children}</div>}
    </header>
  );
}

/** A figure with its name and unit. */
export function Figure({
  name,
  value,
  unit,
  tone,
}: {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly unit?: string;
  readonly tone?: Tone;
}): VNode {
  return (
    <div class={`figure ${tone ?? ''}`}>
      <dt>{name}</dt>
      <dd>
        {value}
        {unit !== undefined && <small> {unit}</small>}
      </dd>
    </div>
  );
}

/** A text of several lines as it is. */
export function Bytes({ of }: { readonly of: unknown }): VNode {
  return <pre class="bytes">{typeof of === 'string' ? of : JSON.stringify(of, null, 2)}</pre>;
}

/** Words in which backticks mark code. */
export function Words({ of }: { readonly of: string }): VNode {
  return <>{of.split('`').map((part, nth) => (nth % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}
