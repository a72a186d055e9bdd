import { expect } from '@jest/globals';
import { itOnOtherNode, OTHER_NODE } from '../support/other-node.js';
import { RunningService } from '../support/running-service.js';

itOnOtherNode('the service sells on another version of Node', async () => {
  // Replaces the Node of the command that follows.
  const prefix = ['sh', '-c', 'shift; exec "$OTHER_NODE" "$@"', 'sh'];
  const service = await RunningService.start({ prefix, env: { OTHER_NODE } });
  try {
    const { key } = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: 3 });
    const user = await service.newUser(key, 'ann@example.com');
    const held = await service.ask('POST', '/purchases/reserve', { key, body: { deal_id: 'lunch', num_bought: 2 } });
    const id = held.body.purchase.id as string;
    const claimed = await service.ask('PUT', `/purchases/${id}/claim`, { key, body: { user_id: user } });
    expect([claimed.status, claimed.body.purchase.coupons.length]).toEqual([200, 2]);
    const listed = await service.ask('GET', `/users/${user}/purchases`, { key });
    expect(listed.body.purchases).toHaveLength(1);
  } finally {
    await service.discard();
  }
});
