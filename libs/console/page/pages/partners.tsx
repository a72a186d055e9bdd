import type { VNode } from 'preact';
import { change } from '../api.js';
import { things } from '../format.js';
import { Action, quoted, Secret } from '../ui/action.js';
import { Empty, Show, useLoaded } from '../ui/loaded.js';
import { Facts, Go, Head, Id, Part, State, When } from '../ui/parts.js';
import { Table } from '../ui/table.js';

interface Key {
  readonly key_id: string;
  readonly name: string | null;
  readonly created_at: string;
  readonly scope: readonly string[] | string | null;
  readonly access: readonly string[] | string | null;
  readonly last_used_on: string | null;
  readonly revoked: boolean;
}

interface Partner {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly storefront_url: string | null;
  readonly suspended: boolean;
  readonly keys: readonly Key[];
}

interface Partners {
  readonly partners: readonly Partner[];
}

interface Made {
  readonly partner?: { readonly id: string };
  readonly api_key?: string;
  readonly password?: string;
  readonly username?: string;
}

const ALL = '/operators/partners?per_page=1000';

/** All partners. */
export function PartnersPage(): VNode {
  const loaded = useLoaded<Partners>(ALL);
  return (
    <>
      <Head title="Partners">
        <Action<Made>
          label="New partner"
          does="Makes a partner with a key and a v3 password, which are shown once."
          fields={[
            { name: 'name', label: 'Name' },
            { name: 'slug', label: 'Slug', hint: 'Small letters, digits and hyphens. It never changes.' },
          ]}
          command={({ name, slug }) => `partners create --name ${quoted(name || '…')} --slug ${quoted(slug || '…')}`}
          run={(values) => change('POST', '/operators/partners', values)}
          says="There is a new partner."
          after={loaded.again}
          shows={secretsOf}
        />
      </Head>
      <Show of={loaded}>
        {({ partners }) =>
          partners.length === 0 ? (
            <Empty title="There is no partner yet.">Partners sell the deals. Make the first one above.</Empty>
          ) : (
            <Table
              label="Partners"
              rows={partners}
              total={partners.length}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Partner', cell: ({ id, name }) => <Go to={`/partners/${id}`}>{name}</Go> },
                {
                  name: 'State',
                  cell: ({ suspended }) => (suspended ? <State of="suspended" /> : <State of="active" />),
                },
                { name: 'Slug', cell: ({ slug }) => <code>{slug}</code>, wide: true },
                { name: 'Valid keys', number: true, cell: ({ keys }) => keys.filter(({ revoked }) => !revoked).length },
              ]}
            />
          )
        }
      </Show>
    </>
  );
}

const secretsOf = ({ api_key, password, username }: Made): VNode => (
  <>
    {api_key !== undefined && <Secret name="API key" value={api_key} />}
    {username !== undefined && <Facts of={[['User name', <code>{username}</code>]]} />}
    {password !== undefined && <Secret name="v3 password" value={password} />}
  </>
);

const listed = (of: Key['scope']): string => (of === null ? 'everything' : typeof of === 'string' ? of : of.join(', '));

/** A partner: its keys, and its suspension. */
export function PartnerPage({ id }: { readonly id: string }): VNode {
  const loaded = useLoaded<Partners>(ALL);
  const head = <Head kind="Partner" all="/partners" title={<Id of={id} />} />;
  return (
    <Show of={loaded} head={head}>
      {({ partners }) => {
        const partner = partners.find((each) => each.id === id || each.slug === id);
        if (partner === undefined)
          return (
            <>
              {head}
              <Empty title="No partner has this id." />
            </>
          );
        return <OnePartner partner={partner} again={loaded.again} />;
      }}
    </Show>
  );
}

function OnePartner({ partner, again }: { readonly partner: Partner; readonly again: () => void }): VNode {
  const { id, name, slug, suspended, keys, storefront_url } = partner;
  const path = `/operators/partners/${id}`;
  return (
    <>
      <Head
        kind="Partner"
        all="/partners"
        title={name}
        state={suspended ? <State of="suspended" /> : <State of="active" />}
      >
        {suspended ? (
          <Action
            label="End the suspension"
            does="Lets all credentials of the partner count again, and its mails go on."
            command={() => `partners resume ${id}`}
            run={() => change('PUT', path, { suspended: false })}
            says={`${name} may call again.`}
            after={again}
          />
        ) : (
          <Action
            label="Suspend"
            does="Pauses all keys of the partner, the access tokens of its users, and its mails. Coupons that were sold stay valid."
            command={() => `partners suspend ${id}`}
            run={() => change('PUT', path, { suspended: true })}
            says={`${name} is suspended.`}
            after={again}
          />
        )}
        <Action<Made>
          label="New v3 password"
          does="Replaces the password for /api/v3. The old one ends at once; the new one is shown once."
          forEver
          command={() => `partners password ${id}`}
          run={() => change('POST', `${path}/password`)}
          says="There is a new password."
          shows={secretsOf}
        />
        <Action
          label="Storefront"
          does="Where the mails of the partner link to; {deal_id} stands for the deal."
          fields={[{ name: 'storefront_url', label: 'Address', value: storefront_url ?? '' }]}
          command={({ storefront_url: url }) => `partners change ${id} --storefront-url ${quoted(url || '…')}`}
          run={(values) => change('PUT', path, values)}
          says="The storefront was set."
          after={again}
        />
      </Head>
      <Part title="The partner">
        <Facts
          of={[
            ['Id', <code>{id}</code>],
            ['Slug', <code>{slug}</code>],
            ['Storefront', storefront_url],
            [
              'Sales',
              <>
                <Go to={`/purchases?partner=${slug}`}>purchases</Go>, <Go to={`/coupons?partner=${slug}`}>coupons</Go>,{' '}
                <Go to={`/users?partner=${slug}`}>users</Go>, <Go to={`/batches?partner=${slug}`}>batches</Go>
              </>,
            ],
            ['Events', <Go to={`/streams/partner-${id}`}>of the partner</Go>],
          ]}
        />
      </Part>
      <Part
        title="Keys"
        aside={
          <Action<Made>
            label="New key"
            does="Issues a key that may do everything, unless you name what it is for. It is shown once."
            fields={[
              { name: 'name', label: 'Name', optional: true },
              { name: 'scope', label: 'Scope', optional: true, hint: 'Such as coupon,purchase. Empty: everything.' },
              { name: 'access', label: 'Access', optional: true, hint: 'read, or read,write. It goes with a scope.' },
            ]}
            command={({ name: label, scope, access }) =>
              `keys issue ${id}${label ? ` --name ${quoted(label)}` : ''}${scope ? ` --scope ${quoted(scope)}` : ''}${access ? ` --access ${quoted(access)}` : ''}`
            }
            run={(values) =>
              change(
                'POST',
                `${path}/keys`,
                Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
              )
            }
            says="There is a new key."
            after={again}
            shows={secretsOf}
          />
        }
      >
        {keys.length === 0 ? (
          <Empty title="There is no key.">Without one, the partner cannot call.</Empty>
        ) : (
          <>
            <p class="soft">{things(keys.filter(({ revoked }) => !revoked).length, 'valid key')}.</p>
            <Table
              label="Keys"
              rows={keys}
              total={keys.length}
              keyOf={({ key_id }) => key_id}
              columns={[
                { name: 'Key', cell: (key) => <Id of={key.key_id} /> },
                { name: 'Name', cell: (key) => key.name ?? '–' },
                { name: 'State', cell: (key) => (key.revoked ? <State of="revoked" /> : <State of="valid" />) },
                {
                  name: 'For',
                  cell: (key) => `${listed(key.scope)}${key.access === null ? '' : ` (${listed(key.access)})`}`,
                  wide: true,
                },
                { name: 'Made', cell: (key) => <When at={key.created_at} />, wide: true },
                { name: 'Last used', cell: (key) => key.last_used_on ?? 'never', wide: true },
                {
                  name: '',
                  cell: (key) =>
                    key.revoked ? null : (
                      <Action
                        label="Revoke"
                        does={`Ends the key ${key.name ?? key.key_id} at once. Calls with it are refused.`}
                        forEver
                        command={() => `keys revoke ${id} ${key.key_id}`}
                        run={() => change('DELETE', `${path}/keys/${key.key_id}`)}
                        says="The key is revoked."
                        after={again}
                      />
                    ),
                },
              ]}
            />
          </>
        )}
      </Part>
    </>
  );
}
