import { signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { mayChange, type Failure } from '../api.js';
import { Failed, failureOf } from './loaded.js';

/** What was done last: a live region says it, and a line shows it. */
export const done = signal('');

/** A value that an action asks for. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind?: 'text' | 'lines' | 'number';
  readonly options?: readonly string[];
  readonly value?: string;
  readonly optional?: boolean;
}

export type Values = Readonly<Record<string, string>>;

interface ActionOf<T> {
  readonly label: string;
  /** What it does, in a sentence. */
  readonly does: string;
  /** Set if nobody can take it back. */
  readonly forEver?: boolean;
  readonly fields?: readonly Field[];
  /** The command that does the same, without `holdfast`. */
  readonly command: (values: Values) => string;
  readonly run: (values: Values) => Promise<T>;
  /** What to say afterwards. */
  readonly says: string;
  /** Called after it was done. */
  readonly after?: () => void;
  /** What its answer shows once, such as a new key. */
  readonly shows?: (answer: T) => ComponentChildren;
}

/** A word of a command line, in quotes if it needs them. */
export const quoted = (text: string): string =>
  /^[\w.:/@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A button that changes something, for operators alone. It opens a dialogue that says what happens, asks for what is missing, and
 * shows the command that does the same.
 */
export function Action<T>(of: ActionOf<T>): VNode | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  // Opened when its content is there: so the focus goes to its first field.
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (!mayChange()) return null;
  return (
    <>
      <button
        type="button"
        class={of.forEver === true ? 'danger' : 'plain'}
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
      >
        {of.label}
      </button>
      <dialog ref={dialog} aria-label={of.label} class="dialog" onClose={() => setOpen(false)}>
        {/* What it has shown, such as a new key, goes with it. */}
        {isOpen && <Asking of={of} close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function Asking<T>({ of, close }: { readonly of: ActionOf<T>; readonly close: () => void }): VNode {
  const { fields = [], forEver = false } = of;
  const [values, setValues] = useState<Values>(
    Object.fromEntries(fields.map(({ name, value, options }) => [name, value ?? options?.[0] ?? ''])),
  );
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const [shown, setShown] = useState<ComponentChildren>();
  const submit = (event: Event): void => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    of.run(values)
      .then((answer) => {
        done.value = of.says;
        of.after?.();
        if (of.shows === undefined) close();
        else setShown(of.shows(answer));
      })
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setBusy(false));
  };
  if (shown !== undefined)
    return (
      <div class="stack">
        <h2>{of.says}</h2>
        {shown}
        <p class="row end">
          <button type="button" class="main" onClick={close}>
            Close
          </button>
        </p>
      </div>
    );
  return (
    <form class="stack" onSubmit={submit}>
      <h2>{of.label}</h2>
      <p>{of.does}</p>
      {forEver && (
        <p class="note warn">
          <strong>Nobody can take this back.</strong>
        </p>
      )}
      {fields.map((field) => (
        <Ask
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          set={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      <Command text={`holdfast ${of.command(values)}`} />
      {failure !== undefined && <Failed failure={failure} />}
      <p class="row end">
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialogue begins where nothing happens */}
        <button type="button" class="plain" onClick={close} autoFocus={fields.length === 0}>
          Cancel
        </button>
        <button type="submit" class={forEver ? 'danger' : 'main'} disabled={busy}>
          {busy ? 'Working …' : of.label}
        </button>
      </p>
    </form>
  );
}

function Ask({
  field: { name, label, hint, kind = 'text', options, optional = false },
  value,
  set,
}: {
  readonly field: Field;
  readonly value: string;
  readonly set: (value: string) => void;
}): VNode {
  const shared = {
    name,
    value,
    required: !optional,
    'aria-describedby': hint === undefined ? undefined : `${name}-hint`,
  };
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    set(currentTarget.value);
  return (
    <label class="field">
      <span>
        {label}
        {optional && <small> (optional)</small>}
      </span>
      {options !== undefined ? (
        <select {...shared} onChange={onInput}>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : kind === 'lines' ? (
        <textarea {...shared} rows={3} onInput={onInput} />
      ) : kind === 'number' ? (
        <input type="number" min={0} {...shared} onInput={onInput} />
      ) : (
        <input {...shared} autoComplete="off" onInput={onInput} />
      )}
      {hint !== undefined && <small id={`${name}-hint`}>{hint}</small>}
    </label>
  );
}

/** A command, to copy. */
export function Command({ text }: { readonly text: string }): VNode {
  return (
    <div class="command">
      <small>The same in a terminal</small>
      <code>{text}</code>
      <Copy text={text} what="the command" />
    </div>
  );
}

/** A secret that is shown once. */
export function Secret({ name, value }: { readonly name: string; readonly value: string }): VNode {
  return (
    <div class="command secret">
      <small>{name}: shown once, so copy it now</small>
      <code>{value}</code>
      <Copy text={value} what={name} />
    </div>
  );
}

function Copy({ text, what }: { readonly text: string; readonly what: string }): VNode {
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => (done.value = `Copied ${what}.`),
      () => (done.value = 'The browser did not let this page copy.'),
    );
  };
  return (
    <button type="button" class="small" onClick={copy} aria-label={`Copy ${what}`}>
      Copy
    </button>
  );
}
