import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { List, ListFilter, Row } from '../lists.js';
import { filterBy, place } from '../router.js';
import { quoted } from '../ui/action.js';
import { Head, Words } from '../ui/parts.js';
import { Listed } from '../ui/table.js';

/** How long to wait for the next letter before the service is asked. */
const PAUSE = 200;

/** Any list: its filters, and its rows. */
export function ListPage({ list }: { readonly list: List }): VNode {
  const { query, kept } = place.value;
  const values = Object.fromEntries(
    list.filters.map(({ name, personal }) => [name, (personal === true ? kept[name] : query.get(name)) ?? '']),
  );
  const asked = Object.entries(values).filter(([, value]) => value !== '');
  const path = `/operators/${list.name}?${new URLSearchParams([...asked, ['limit', '100']]).toString()}`;
  const options = asked.map(([name, value]) => ` --${name.replaceAll('_', '-')} ${quoted(value)}`).join('');
  return (
    <>
      <Head title={list.title}>
        <a
          class="button"
          href={`/operators/${list.name}?${new URLSearchParams([...withoutPersons(list, asked), ['format', 'csv']]).toString()}`}
          download={`${list.path}.csv`}
        >
          All as CSV
        </a>
      </Head>
      <p class="soft">{list.about}</p>
      <Filters list={list} values={values} />
      <Listed<Row>
        path={path}
        name={list.name}
        label={list.title}
        columns={list.columns}
        keyOf={(row) => String(row['id'])}
        empty={<Words of={asked.length > 0 ? 'Nothing fits these filters.' : list.empty} />}
      />
      <p class="soft">
        The same in a terminal: <code>{`holdfast ${list.noun} list${options}`}</code>
      </p>
    </>
  );
}

/** What may stand in the address of a file. */
const withoutPersons = (list: List, asked: readonly [string, string][]): readonly [string, string][] =>
  asked.filter(([name]) => list.filters.some((filter) => filter.name === name && filter.personal !== true));

function Filters({ list, values }: { readonly list: List; readonly values: Readonly<Record<string, string>> }): VNode {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const set = (filter: ListFilter, value: string): void => {
    const { query, kept } = place.value;
    const changed = new URLSearchParams(query);
    const { [filter.name]: _, ...others } = kept;
    if (filter.personal === true) {
      filterBy(changed, value === '' ? others : { ...others, [filter.name]: value });
      return;
    }
    if (value === '') changed.delete(filter.name);
    else changed.set(filter.name, value);
    filterBy(changed, kept);
  };
  const later = (filter: ListFilter, value: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => set(filter, value.trim()), PAUSE);
  };
  const isFiltered = Object.values(values).some((value) => value !== '');
  return (
    <form
      class="filters"
      role="search"
      aria-label={`Filters of ${list.title}`}
      onSubmit={(event) => event.preventDefault()}
    >
      {list.filters.map((filter) => (
        <label key={filter.name} class="field">
          <span>{filter.label}</span>
          {filter.options !== undefined ? (
            <select value={values[filter.name]} onChange={({ currentTarget }) => set(filter, currentTarget.value)}>
              <option value="">any</option>
              {filter.options.map((option) => (
                <option key={option} value={option}>
                  {option}
                </option>
              ))}
            </select>
          ) : filter.day === true ? (
            <input
              type="date"
              {...entryOf(values[filter.name])}
              onInput={({ currentTarget }) => later(filter, currentTarget.value)}
            />
          ) : (
            <input
              {...entryOf(values[filter.name])}
              onInput={({ currentTarget }) => later(filter, currentTarget.value)}
            />
          )}
        </label>
      ))}
      {isFiltered && (
        <button type="reset" class="plain" onClick={() => filterBy(new URLSearchParams(), {})}>
          No filters
        </button>
      )}
    </form>
  );
}

const entryOf = (value = ''): { defaultValue: string; autoComplete: 'off'; spellcheck: false } => ({
  defaultValue: value,
  autoComplete: 'off',
  spellcheck: false,
});
