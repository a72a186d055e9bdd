import { importDeals, madeUpDeals } from '../campaigns/catalogue/made-up-deals.js';
import { timeOf } from '../support/buying.js';
import type { RunningService } from '../support/running-service.js';
import { httpRequest, type Visit } from './load.js';
import type { Plan, Row } from './rows.js';

const FIELDS = 'id,title,price,value,region_id,region_name,locations,images,end_at,sold_out,number_sold';

/** The lists: a hundred deals per page, through v1 and through v3. */
const LISTS: readonly { readonly name: string; readonly v1: string; readonly v3: string }[] = [
  { name: 'by region', v1: 'region=boston', v3: 'region[boston]' },
  { name: 'by price', v1: 'price_min=1000&price_max=2000', v3: 'price>=1000,price<=2000' },
  { name: 'by place', v1: 'latitude=42.4&longitude=-71.1&radius=25', v3: 'lat_long[42.4,-71.1,25]' },
];

/** Creates what the list rows need: `count` deals, and one that sells while lists are measured. */
export async function prepareLists(service: RunningService, count: number): Promise<Plan> {
  const { id, key } = await service.newPartner('bench');
  const { username, password } = await service.operate('POST', `/partners/${id}/password`);
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  await importDeals(service, madeUpDeals(count, await timeOf(service)));
  await service.newDeal('hot', { stock: 1_000_000_000, max_per_user: null });
  const sale = httpRequest('POST', '/purchases/reserve', key, JSON.stringify({ deal_id: 'hot', num_bought: 1 }));
  const beside: Visit = { requests: [sale], users: [] };

  const rows: Row[] = [];
  const texts: Record<string, string> = {};
  for (const { name, v1, v3 } of LISTS) {
    const requests = [
      [`v1 list ${name}`, `/v1/deals?${v1}`, `X-Api-Key: ${key}`],
      [
        `v3 list ${name}`,
        `/api/v3/deals?fields=${FIELDS}&filter=${encodeURIComponent(v3)}`,
        `Authorization: Basic ${basic}`,
      ],
    ] as const;
    for (const [title, path, credential] of requests) {
      const headers = Object.fromEntries([credential.split(': ')]) as Readonly<Record<string, string>>;
      const answer = await service.ask('GET', path, { headers });
      if (answer.status !== 200 || answer.body.deals.length !== 100) throw new Error(answer.text.slice(0, 500));
      texts[path] = answer.text;
      const visit: Visit = {
        requests: [[`GET ${path} HTTP/1.1`, 'Host: localhost', credential, '', ''].join('\r\n')],
        users: [],
      };
      rows.push({ name: title, visit }, { name: `${title}, while sales go on`, visit, beside });
    }
  }
  return { rows, yardsticks: { objects: [{ path: '/reserve$', answer: '{}' }], texts } };
}
