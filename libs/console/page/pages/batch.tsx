import type { VNode } from 'preact';
import { count, things, words } from '../format.js';
import type { Row } from '../lists.js';
import { Empty, Show, useLoaded } from '../ui/loaded.js';
import { Facts, Go, Head, Id, Part, State, When } from '../ui/parts.js';
import { Table } from '../ui/table.js';

interface Mail {
  readonly user_id: string;
  readonly outcome: string;
  readonly attempts: number;
  readonly reason: string | null;
  readonly at: string | null;
}

/** Outcomes in the order of the bar, with their colours. */
const OUTCOMES = [
  ['sent', '--good'],
  ['under-way', '--sold'],
  ['waiting', '--stock'],
  ['delayed', '--held'],
  ['skipped', '--edge'],
  ['failed', '--bad'],
] as const;

/** A batch of mails: what has become of each, as a bar and as a list. */
export function BatchPage({ id }: { readonly id: string }): VNode {
  const loaded = useLoaded<{ readonly batch: Row; readonly mails: readonly Mail[] }>(
    `/operators/batches/${encodeURIComponent(id)}`,
    5_000,
  );
  return (
    <Show of={loaded} head={<Head kind="Batch of mails" all="/batches" title={<Id of={id} />} />}>
      {({ batch, mails }) => {
        const counted = OUTCOMES.map(([outcome, color]) => ({
          outcome,
          color,
          count: mails.filter((mail) => mail.outcome === outcome).length,
        })).filter((each) => each.count > 0);
        const inWords = counted.map((each) => `${count(each.count)} ${words(each.outcome)}`).join(', ');
        return (
          <>
            <Head
              kind="Batch of mails"
              all="/batches"
              title={things(mails.length, 'recipient')}
              state={<State of={String(batch['status'])} />}
            />
            <Part title="Outcomes">
              {counted.length === 0 ? (
                <Empty title="No mail has gone out yet." />
              ) : (
                <>
                  <div class="bar" role="img" aria-label={inWords}>
                    {counted.map((each) => (
                      <i key={each.outcome} style={{ flexGrow: each.count, background: `var(${each.color})` }} />
                    ))}
                  </div>
                  <p class="legend">
                    {counted.map((each) => (
                      <span key={each.outcome}>
                        <i style={{ background: `var(${each.color})` }} /> {words(each.outcome)}{' '}
                        <b>{count(each.count)}</b>
                      </span>
                    ))}
                  </p>
                </>
              )}
              <Facts
                of={[
                  ['Id', <code>{id}</code>],
                  [
                    'Deal',
                    <Go to={`/deals/${encodeURIComponent(String(batch['deal_id']))}`}>{String(batch['deal_id'])}</Go>,
                  ],
                  ['Partner', <Id of={String(batch['partner_id'])} to={`/partners/${String(batch['partner_id'])}`} />],
                  ['Mode', String(batch['mode'])],
                  ['Sent at', <When at={batch['send_at'] as string | null} />],
                  ['Made', <When at={batch['created_at'] as string | null} />],
                  ['Events', <Go to={`/streams/batch-${encodeURIComponent(id)}`}>of the batch</Go>],
                ]}
              />
            </Part>
            <Part title="Mails">
              <Table
                label="Mails"
                rows={mails}
                total={mails.length}
                keyOf={(mail) => mail.user_id}
                columns={[
                  { name: 'User', cell: (mail) => <Id of={mail.user_id} to={`/users/${mail.user_id}`} /> },
                  { name: 'Outcome', cell: (mail) => <State of={mail.outcome} /> },
                  { name: 'Tries', cell: (mail) => mail.attempts, number: true },
                  { name: 'Why', cell: (mail) => mail.reason ?? '–', wide: true },
                  { name: 'When', cell: (mail) => <When at={mail.at} /> },
                ]}
              />
            </Part>
          </>
        );
      }}
    </Show>
  );
}
