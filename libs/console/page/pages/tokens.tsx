import type { VNode } from 'preact';
import { change, me } from '../api.js';
import { words } from '../format.js';
import { Action, quoted, Secret } from '../ui/action.js';
import { Show, useLoaded } from '../ui/loaded.js';
import { Head, Id, State, When } from '../ui/parts.js';
import { Table } from '../ui/table.js';

interface Token {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_on: string | null;
  readonly state: 'valid' | 'ended' | 'revoked';
}

/** Seconds. */
const DAY = 86_400;

/** Tokens of operators and auditors. */
export function TokensPage(): VNode {
  const loaded = useLoaded<{ readonly tokens: readonly Token[] }>('/operators/tokens?per_page=1000');
  return (
    <>
      <Head title="Tokens">
        <Action<{ readonly token?: string }>
          label="New token"
          does="Issues a token to an operator or auditor. It is shown once. Events have its name."
          fields={[
            { name: 'name', label: 'Name' },
            { name: 'role', label: 'Role', options: ['auditor', 'operator'] },
            { name: 'days', label: 'Ends after so many days', value: '90' },
          ]}
          command={({ name, role, days }) =>
            `tokens issue --name ${quoted(name || '…')} --role ${role} --expires-in ${Number(days) * DAY}`
          }
          run={({ name, role, days }) =>
            change('POST', '/operators/tokens', { name, role, expires_in: String(Number(days) * DAY) })
          }
          says="There is a new token."
          after={loaded.again}
          shows={({ token }) => (token === undefined ? null : <Secret name="Token" value={token} />)}
        />
      </Head>
      <p class="soft">
        Of operators and auditors, without their secrets. A session on this console ends with its token.
      </p>
      <Show of={loaded}>
        {({ tokens }) => (
          <Table
            label="Tokens"
            rows={tokens}
            total={tokens.length}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Name', cell: ({ name }) => `${name}${name === me.value?.name ? ' (you)' : ''}` },
              { name: 'Role', cell: ({ role }) => words(role) },
              {
                name: 'State',
                cell: ({ state }) => (state === 'ended' ? <State of={state} tone="calm" /> : <State of={state} />),
              },
              { name: 'Id', cell: ({ id }) => <Id of={id} to={`/streams/operatorToken-${id}`} />, wide: true },
              { name: 'Made', cell: ({ created_at }) => <When at={created_at} />, wide: true },
              {
                name: 'Ends',
                cell: ({ expires_at }) => (expires_at === null ? 'never' : <When at={expires_at} />),
                wide: true,
              },
              { name: 'Last used', cell: ({ last_used_on }) => last_used_on ?? 'never', wide: true },
              {
                name: '',
                cell: ({ id, name, state }) =>
                  state !== 'valid' ? null : (
                    <Action
                      label="Revoke"
                      does={`Ends the token of ${name} at once, and the sessions that it was used for.`}
                      forEver
                      command={() => `tokens revoke ${id}`}
                      run={() => change('DELETE', `/operators/tokens/${id}`)}
                      says="The token is revoked."
                      after={loaded.again}
                    />
                  ),
              },
            ]}
          />
        )}
      </Show>
    </>
  );
}
