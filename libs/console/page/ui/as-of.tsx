import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { get, type Failure } from '../api.js';
import { Failed, failureOf } from './loaded.js';
import { Bytes, Part } from './parts.js';

interface Answer {
  readonly at: string;
  readonly body: unknown;
}

/** A moment as the field of a form has it, in the zone of whoever looks. */
function fieldOf(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** The leaves of an answer, by their paths. */
function leavesOf(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) leavesOf(part, path === '' ? name : `${path}.${name}`, found);
  else found.set(path, JSON.stringify(value));
  return found;
}

/** What partners were answered about a thing at a time, byte for byte; and what differs between two times. */
export function AsOf({
  path,
  what,
  command,
}: {
  readonly path: string;
  readonly what: string;
  readonly command: string;
}): VNode {
  const [times, setTimes] = useState<readonly [string, string]>([fieldOf(new Date()), '']);
  const [answers, setAnswers] = useState<readonly Answer[]>([]);
  const [failure, setFailure] = useState<Failure>();
  const isoOf = (field: string): string => new Date(field).toISOString();
  const asked = times.filter((time) => time !== '');
  const submit = (event: Event): void => {
    event.preventDefault();
    setFailure(undefined);
    Promise.all(
      asked.map(isoOf).map(async (at) => ({ at, body: await get(`${path}?as_of=${encodeURIComponent(at)}`) })),
    ).then(setAnswers, (error: unknown) => {
      setAnswers([]);
      setFailure(failureOf(error));
    });
  };
  const [first, second] = answers;
  return (
    <Part title="What we answered then">
      <form class="filters" onSubmit={submit} aria-label={`The ${what} as of a time`}>
        {(['At', 'Compared with'] as const).map((label, nth) => (
          <label key={label} class="field">
            <span>
              {label}
              {nth === 1 && <small> (optional)</small>}
            </span>
            <input
              type="datetime-local"
              step={1}
              required={nth === 0}
              value={times[nth]}
              onInput={({ currentTarget: { value } }) => setTimes(nth === 0 ? [value, times[1]] : [times[0], value])}
            />
          </label>
        ))}
        <button type="submit" class="plain">
          Show the answer
        </button>
      </form>
      {failure !== undefined && <Failed failure={failure} />}
      {first !== undefined && second === undefined && <Bytes of={first.body} />}
      {first !== undefined && second !== undefined && <Differences first={first} second={second} />}
      <p class="soft">
        The same in a terminal:{' '}
        <code>{`holdfast ${command}${asked[0] === undefined || asked[0] === '' ? '' : ` --as-of ${isoOf(asked[0])}`}`}</code>
      </p>
    </Part>
  );
}

function Differences({ first, second }: { readonly first: Answer; readonly second: Answer }): VNode {
  const [one, other] = [leavesOf(first.body), leavesOf(second.body)];
  const paths = [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));
  if (paths.length === 0) return <p role="status">Both answers were the same.</p>;
  return (
    <div class="table">
      <table aria-label="What differs">
        <thead>
          <tr>
            <th scope="col">What differs</th>
            <th scope="col">{first.at}</th>
            <th scope="col">{second.at}</th>
          </tr>
        </thead>
        <tbody>
          {paths.map((path) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>{one.get(path) ?? 'not there'}</td>
              <td>{other.get(path) ?? 'not there'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
