import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { mayChange, send, type Failure } from '../api.js';
import { bytes, count, things } from '../format.js';
import type { Row } from '../lists.js';
import { Command, done, quoted } from '../ui/action.js';
import { Failed, failureOf } from '../ui/loaded.js';
import { Figure, Head, Id, Part, State, When } from '../ui/parts.js';
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

/** A file, and what the service says that each of its lines would do. */
interface Tried {
  readonly file: File;
  readonly would: Result;
}

/** Sends a file. @throws Failure */
async function sent(file: File, isDry: boolean): Promise<Result> {
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': crypto.randomUUID() };
  const path = `/operators/import${isDry ? '?dry_run=true' : ''}`;
  return (await (await send('POST', path, { headers, body: file })).json()) as Result;
}

/** Imports: the service tries a file first, and then takes it. */
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
  const [tried, setTried] = useState<Tried>();
  const [result, setResult] = useState<Result>();
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState('');
  const [isOver, setOver] = useState(false);
  const during = (what: string, run: () => Promise<void>): void => {
    setBusy(what);
    setFailure(undefined);
    run()
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setBusy(''));
  };
  const take = (file: File | undefined): void => {
    setOver(false);
    if (file === undefined || busy !== '') return;
    setResult(undefined);
    setTried(undefined);
    during(`Trying ${file.name} …`, async () => setTried({ file, would: await sent(file, true) }));
  };
  const run = ({ file }: Tried): void =>
    during(`Importing ${file.name} …`, async () => {
      setResult(await sent(file, false));
      done.value = 'The import has ended.';
      setTried(undefined);
      after();
    });
  return (
    <Part title="New import">
      <label
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          take(event.dataTransfer?.files[0]);
        }}
      >
        <span>
          <strong>Drop a file here</strong>, or choose one: regions, deals, partners and users, one line of JSON each.
          The service tries it first, and writes nothing.
        </span>
        <input
          type="file"
          accept=".ndjson,.jsonl,.json,application/x-ndjson"
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0]);
            // The same file, mended, can be chosen again.
            currentTarget.value = '';
          }}
        />
      </label>
      <p role="status" class={busy === '' ? 'said-nothing' : 'waiting'}>
        {busy}
      </p>
      {failure !== undefined && <Failed failure={failure} />}
      {tried !== undefined && (
        <Trial of={tried} busy={busy !== ''} run={() => run(tried)} drop={() => setTried(undefined)} />
      )}
      {result !== undefined && (
        <div class="stack" role="status">
          <p class={`note ${result.refused_count === 0 ? 'good' : 'warn'}`}>
            {things(result.lines, 'line')}: {count(result.changed)} changed something, {count(result.unchanged)} changed
            nothing, {count(result.refused_count)} refused.
          </p>
          {result.refused.length > 0 && <Faults of={result} label="Refused lines" />}
        </div>
      )}
    </Part>
  );
}

/** What the dry run of a file has found, and the way to import it. */
function Trial({
  of: { file, would },
  busy,
  run,
  drop,
}: {
  readonly of: Tried;
  readonly busy: boolean;
  readonly run: () => void;
  readonly drop: () => void;
}): VNode {
  const { lines, changed, unchanged, refused_count: refused } = would;
  return (
    <section class="stack" aria-label="Dry run">
      <h3>Dry run of {file.name}</h3>
      <p class={`note ${refused === 0 ? 'good' : 'warn'}`} role="status">
        <strong>{refused === 0 ? 'Every line would be taken.' : `${things(refused, 'line')} would be refused.`}</strong>{' '}
        Nothing has been written.
      </p>
      <dl class="figures">
        <Figure name="Lines" value={count(lines)} />
        <Figure name="Would change" value={count(changed)} />
        <Figure name="Would stay" value={count(unchanged)} />
        <Figure name="Would be refused" value={count(refused)} {...(refused > 0 && { tone: 'bad' })} />
        <Figure name="Size" value={bytes(file.size)} />
      </dl>
      {refused > 0 && <Faults of={would} label="Lines that would be refused" />}
      <Command text={`holdfast import run --file ${quoted(file.name)}`} />
      <p class="row">
        <button type="button" class="main" disabled={busy || changed === 0} onClick={run}>
          {refused > 0 ? `Import the other ${things(lines - refused, 'line')}` : `Import ${things(lines, 'line')}`}
        </button>
        <button type="button" class="plain" disabled={busy} onClick={drop}>
          Put it away
        </button>
        {changed === 0 && <span class="soft">There is nothing to change.</span>}
      </p>
    </section>
  );
}

/** The first refused lines, with the reasons. */
function Faults({
  of: { refused, refused_count: all },
  label,
}: {
  readonly of: Result;
  readonly label: string;
}): VNode {
  return (
    <>
      <div class="sentences">
        <Table
          label={label}
          rows={refused}
          total={refused.length}
          keyOf={({ line }) => String(line)}
          columns={[
            { name: 'Line', number: true, cell: ({ line }) => count(line) },
            { name: 'What', wide: true, cell: ({ kind, slug }) => [kind, slug].filter(Boolean).join(' ') || '–' },
            { name: 'Why', cell: ({ reason }) => reason },
          ]}
        />
      </div>
      {all > refused.length && (
        <p class="soft">
          These are the first {count(refused.length)} of {count(all)}.
        </p>
      )}
    </>
  );
}
