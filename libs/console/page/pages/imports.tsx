import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { mayChange, send, type Failure } from '../api.js';
import { bytes, count, things } from '../format.js';
import type { Row } from '../lists.js';
import { Command, done, quoted } from '../ui/action.js';
import { Failed, failureOf } from '../ui/loaded.js';
import { Facts, Head, Id, Part, State, When } from '../ui/parts.js';
import { Listed, Table } from '../ui/table.js';

interface Refused {
  readonly line: number;
  readonly kind?: string;
  readonly slug?: string;
  readonly reason: string;
}

interface Result {
  readonly lines: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused_count: number;
  readonly refused: readonly Refused[];
}

/** What a look at a file has found, before anything is sent. */
interface Looked {
  readonly file: File;
  readonly lines: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly faults: readonly Refused[];
}

const KINDS: readonly unknown[] = ['region', 'deal', 'partner', 'user'];
const MOST_FAULTS = 1_000;

/** What is wrong with the form of a line; undefined if nothing is. */
function faultOf(line: string): string | { readonly kind: string } {
  try {
    const parsed = JSON.parse(line) as { readonly kind?: unknown } | null;
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return 'it is no object of JSON';
    if (!KINDS.includes(parsed.kind)) return 'its kind is none of region, deal, partner and user';
    return { kind: String(parsed.kind) };
  } catch {
    return 'it is no JSON';
  }
}

/** Looks at each line of a file, in this browser. */
async function lookAt(file: File): Promise<Looked> {
  const kinds: Record<string, number> = {};
  const faults: Refused[] = [];
  let lines = 0;
  for (const line of (await file.text()).split('\n')) {
    lines += 1;
    if (line.trim() === '') continue;
    const found = faultOf(line);
    if (typeof found === 'string') faults.push({ line: lines, reason: found });
    else kinds[found.kind] = (kinds[found.kind] ?? 0) + 1;
  }
  return { file, lines, kinds, faults: faults.slice(0, MOST_FAULTS) };
}

/** Imports: a file is looked at first, and then sent. */
export function ImportsPage(): VNode {
  const [turn, setTurn] = useState(0);
  return (
    <>
      <Head title="Imports" />
      {mayChange() && <NewImport after={() => setTurn((of) => of + 1)} />}
      <Part title="Earlier imports">
        <Listed<Row>
          path={`/operators/imports?limit=100#${turn}`}
          name="imports"
          label="Imports"
          keyOf={(row) => String(row['id'])}
          empty="Imports that have changed something are listed here."
          columns={[
            {
              name: 'Import',
              cell: (row) => <Id of={String(row['id'])} to={`/streams/import-${String(row['id'])}`} />,
            },
            { name: 'State', cell: (row) => <State of={String(row['state'])} /> },
            { name: 'Lines', number: true, cell: (row) => (row['lines'] === null ? '–' : count(Number(row['lines']))) },
            {
              name: 'Changed',
              number: true,
              cell: (row) => (row['changed'] === null ? '–' : count(Number(row['changed']))),
            },
            {
              name: 'Refused',
              number: true,
              cell: (row) => (row['refused'] === null ? '–' : count(Number(row['refused']))),
            },
            { name: 'Who', wide: true, cell: (row) => String(row['actor']) },
            { name: 'When', wide: true, cell: (row) => <When at={row['created_at'] as string | null} /> },
          ]}
        />
      </Part>
    </>
  );
}

function NewImport({ after }: { readonly after: () => void }): VNode {
  const [looked, setLooked] = useState<Looked>();
  const [result, setResult] = useState<Result>();
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const take = (file: File | undefined): void => {
    if (file === undefined) return;
    setResult(undefined);
    setFailure(undefined);
    lookAt(file).then(setLooked, (error: unknown) => setFailure(failureOf(error)));
  };
  const run = (): void => {
    if (looked === undefined) return;
    setBusy(true);
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': crypto.randomUUID() };
    send('POST', '/operators/import', { headers, body: looked.file })
      .then(async (response) => setResult((await response.json()) as Result))
      .then(() => {
        done.value = 'The import has ended.';
        setLooked(undefined);
        after();
      })
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Part title="New import">
      <label
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          take(event.dataTransfer?.files[0]);
        }}
      >
        <span>
          <strong>Drop a file here</strong>, or choose one: regions, deals, partners and users, one line of JSON each.
        </span>
        <input
          type="file"
          accept=".ndjson,.jsonl,.json,application/x-ndjson"
          onChange={({ currentTarget }) => take(currentTarget.files?.[0])}
        />
      </label>
      {failure !== undefined && <Failed failure={failure} />}
      {looked !== undefined && (
        <div class="stack">
          <h3>A look at {looked.file.name}</h3>
          <p class="soft">
            Nothing has been sent. This browser has checked the form of each line; the service checks the rest.
          </p>
          <Facts
            of={[
              ['Size', bytes(looked.file.size)],
              ['Lines', count(looked.lines)],
              ...Object.entries(looked.kinds).map(([kind, of]): readonly [string, string] => [
                `Of kind ${kind}`,
                count(of),
              ]),
              ['Lines with a fault', count(looked.faults.length)],
            ]}
          />
          {looked.faults.length > 0 && <Faults of={looked.faults} label="Lines with a fault" />}
          <Command text={`holdfast import run --file ${quoted(looked.file.name)}`} />
          <p class="row">
            <button type="button" class="main" disabled={busy} onClick={run}>
              {busy ? 'Importing …' : looked.faults.length > 0 ? 'Import all the same' : 'Import'}
            </button>
            <button type="button" class="plain" onClick={() => setLooked(undefined)}>
              Put it away
            </button>
          </p>
        </div>
      )}
      {result !== undefined && (
        <div class="stack" role="status">
          <p class={`note ${result.refused_count === 0 ? 'good' : 'warn'}`}>
            {things(result.lines, 'line')}: {count(result.changed)} changed something, {count(result.unchanged)} changed
            nothing, {count(result.refused_count)} refused.
          </p>
          {result.refused.length > 0 && <Faults of={result.refused} label="Refused lines" />}
        </div>
      )}
    </Part>
  );
}

function Faults({ of, label }: { readonly of: readonly Refused[]; readonly label: string }): VNode {
  return (
    <Table
      label={label}
      rows={of}
      total={of.length}
      keyOf={({ line }) => String(line)}
      columns={[
        { name: 'Line', number: true, cell: ({ line }) => count(line) },
        { name: 'What', wide: true, cell: ({ kind, slug }) => [kind, slug].filter(Boolean).join(' ') || '–' },
        { name: 'Why', cell: ({ reason }) => reason },
      ]}
    />
  );
}
