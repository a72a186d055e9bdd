import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Empty, Show, useLoaded } from '../ui/loaded.js';
import { Head, State } from '../ui/parts.js';
import { Table } from '../ui/table.js';

interface Setting {
  readonly name: string;
  readonly means: string;
  readonly from: 'default' | 'environment';
  readonly value: string | null;
}

/** The settings of the process that answers, without secrets. */
export function SettingsPage(): VNode {
  const loaded = useLoaded<{ readonly settings: readonly Setting[] }>('/operators/settings?per_page=1000');
  const [sought, setSought] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  const fits = ({ name, means, from }: Setting): boolean =>
    `${name} ${means}`.toLowerCase().includes(sought.toLowerCase()) && (!onlySet || from === 'environment');
  return (
    <>
      <Head title="Settings" />
      <p class="soft">
        Environment variables of the process that answers. A change needs a restart. Of what may be a secret, or name
        somebody, this page knows only that it is set.
      </p>
      <form class="filters" role="search" aria-label="Filters of settings" onSubmit={(event) => event.preventDefault()}>
        <label class="field">
          <span>Name or meaning</span>
          <input
            value={sought}
            autoComplete="off"
            spellcheck={false}
            onInput={({ currentTarget: { value } }) => setSought(value)}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={onlySet} onChange={({ currentTarget: { checked } }) => setOnlySet(checked)} />
          Only those of the environment
        </label>
      </form>
      <Show of={loaded}>
        {({ settings }) => {
          const shown = settings.filter(fits);
          return shown.length === 0 ? (
            <Empty title="Nothing fits these filters." />
          ) : (
            <div class="sentences">
              <Table
                label="Settings"
                rows={shown}
                total={shown.length}
                keyOf={({ name }) => name}
                columns={[
                  { name: 'Setting', cell: ({ name }) => <code>{name}</code> },
                  {
                    name: 'Value',
                    cell: ({ value, from }) =>
                      value === null ? (
                        <span class="soft">set, and not shown</span>
                      ) : from === 'default' ? (
                        <span class="soft">{value}</span>
                      ) : (
                        <code>{value}</code>
                      ),
                  },
                  {
                    name: 'From',
                    wide: true,
                    cell: ({ from }) =>
                      from === 'default' ? <span class="soft">{from}</span> : <State of={from} tone="good" />,
                  },
                  { name: 'What it is for', wide: true, cell: ({ means }) => means },
                ]}
              />
            </div>
          );
        }}
      </Show>
      <p class="soft">
        The same in a terminal: <code>holdfast settings show</code>
      </p>
    </>
  );
}
