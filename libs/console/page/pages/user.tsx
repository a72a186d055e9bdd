import type { VNode } from 'preact';
import { change } from '../api.js';
import { count, money, words } from '../format.js';
import { LISTS, type Row } from '../lists.js';
import { Action, quoted } from '../ui/action.js';
import { AsOf } from '../ui/as-of.js';
import { Empty, Show, useLoaded } from '../ui/loaded.js';
import { Facts, Go, Head, Id, Part, State, When } from '../ui/parts.js';
import { Listed, Table } from '../ui/table.js';

interface Person {
  readonly partner_id: string;
  readonly user: {
    readonly id: string;
    readonly email: string | null;
    readonly first_name: string | null;
    readonly last_name: string | null;
    readonly birthday: string | null;
    readonly postal_code: string | null;
    readonly credits: number | null;
    readonly deleted: boolean;
    readonly created_at: string;
    readonly wants_batch_mails: boolean;
  };
  readonly credit_cards: readonly {
    readonly id: string;
    readonly last4: string;
    readonly type: string;
    readonly primary: boolean;
    readonly deleted: boolean;
  }[];
  readonly shipping_addresses: readonly Readonly<Record<string, string | boolean | null>>[];
}

interface Reads {
  readonly reads: readonly {
    readonly revision: number;
    readonly reader: string;
    readonly shown_by: string;
    readonly time: string;
  }[];
}

/** A user with their personal data: the log notes who reads it. */
export function UserPage({ id }: { readonly id: string }): VNode {
  const name = encodeURIComponent(id);
  const loaded = useLoaded<Person>(`/operators/users/${name}`);
  return (
    <Show of={loaded} head={<Head kind="User" all="/users" title={<Id of={id} />} />}>
      {({ user, partner_id, credit_cards, shipping_addresses }) => {
        const isErased = user.email === null;
        const full = [user.first_name, user.last_name].filter(Boolean).join(' ');
        return (
          <>
            <Head
              kind="User"
              all="/users"
              title={isErased ? 'Erased' : full || user.email}
              state={user.deleted ? <State of="hidden" tone="warn" /> : undefined}
            >
              <a class="button" href={`/operators/users/${name}/export?format=json`} download={`user-${id}.json`}>
                Export everything
              </a>
              {!isErased && (
                <Action
                  label="Erase"
                  does="Destroys the key of this person’s data, their cards and mails. Purchases, counts and money stay, without the person."
                  forEver
                  fields={[{ name: 'reason', label: 'Reason, which the history shows', kind: 'lines' }]}
                  command={({ reason }) => `users erase ${id} --reason ${quoted(reason || '…')}`}
                  run={({ reason }) => change('POST', `/operators/users/${name}/erase`, { reason })}
                  says="The user is erased."
                  after={loaded.again}
                />
              )}
            </Head>
            <Part title="The person" aside={<span class="soft">The log notes that you have seen this.</span>}>
              <Facts
                of={[
                  ['Id', <code>{user.id}</code>],
                  ['Name', full],
                  ['E-mail', user.email],
                  ['Birthday', user.birthday],
                  ['Postal code', user.postal_code],
                  ['Credits', user.credits === null ? null : money(user.credits)],
                  ['Wants mails of batches', user.wants_batch_mails ? 'yes' : 'no'],
                  ['Partner', <Id of={partner_id} to={`/partners/${partner_id}`} />],
                  ['Registered', <When at={user.created_at} />],
                  [
                    'Cards',
                    credit_cards
                      .filter(({ deleted }) => !deleted)
                      .map(({ type, last4 }) => `${type} … ${last4}`)
                      .join(', '),
                  ],
                  ['Addresses', count(shipping_addresses.filter(({ removed }) => removed !== true).length)],
                ]}
              />
            </Part>
            <OfUser user={id} path="purchases" />
            <OfUser user={id} path="coupons" />
            <AsOf path={`/auditors/users/${name}`} what="user" command={`users as-of ${id}`} />
            <ReadBy user={name} />
          </>
        );
      }}
    </Show>
  );
}

/** A list that is narrowed to one user. */
function OfUser({ user, path }: { readonly user: string; readonly path: string }): VNode | null {
  const list = LISTS.find((each) => each.path === path);
  if (list === undefined) return null;
  const query = `user_id=${encodeURIComponent(user)}`;
  return (
    <Part title={list.title} aside={<Go to={`/${path}?${query}`}>all</Go>}>
      <Listed<Row>
        path={`/operators/${list.name}?${query}&limit=10`}
        name={list.name}
        label={`${list.title} of the user`}
        columns={list.columns.filter((column) => column.name !== 'User')}
        keyOf={(row) => String(row['id'])}
        empty={`This user has no ${list.title.toLowerCase()}.`}
        whole={false}
      />
    </Part>
  );
}

function ReadBy({ user }: { readonly user: string }): VNode {
  const loaded = useLoaded<Reads>(`/auditors/users/${user}/reads?limit=100`);
  return (
    <Part title="Who has seen this person">
      <Show of={loaded}>
        {({ reads }) =>
          reads.length === 0 ? (
            <Empty title="Nobody yet." />
          ) : (
            <Table
              label="Who has seen this person"
              rows={reads}
              total={reads.length}
              keyOf={(read) => String(read.revision)}
              columns={[
                { name: 'When', cell: (read) => <When at={read.time} /> },
                { name: 'Who', cell: (read) => read.reader },
                { name: 'How', cell: (read) => words(read.shown_by), wide: true },
              ]}
            />
          )
        }
      </Show>
    </Part>
  );
}
