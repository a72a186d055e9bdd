import { useCase, type UseCase } from './crash-windows.js';
import type { RunningService } from '../support/running-service.js';

/** A partner with one user. */
export interface Person {
  readonly key: string;
  readonly userId: string;
}

export const OLD = 'ann@example.org';
export const NEW = 'ann.lee@example.org';

export async function oneUser(service: RunningService): Promise<Person> {
  const { key } = await service.newPartner('acme');
  return { key, userId: await service.newUser(key, OLD, { first_name: 'Ann', token: 't-1' }) };
}

const change =
  (body: object): UseCase<Person>['run'] =>
  (client, { key, userId }) =>
    client.send('PUT', `/users/${userId}`, { key, body });
const updateByEmail =
  (email: string, body: object): UseCase<Person>['run'] =>
  (client, { key }) =>
    client.send('PUT', `/api/v1/users/${email}/update_by_email`, { key, body });

/** What partners do with their users. */
export const peopleUseCases: readonly UseCase[] = [
  useCase({
    title: '4.9 E1 A11: create a user',
    nightly: true,
    prepare: oneUser,
    run: (client, { key }) => client.send('POST', '/users', { key, body: { email: NEW } }),
  }),
  useCase({
    title: '4.9 E1 A11: change a user and their e-mail address',
    // The new address, its user, and the change; the old address follows.
    decisions: 3,
    prepare: oneUser,
    run: change({ email: NEW, last_name: 'Lee', pass: 'geheim', pass_confirmation: 'geheim' }),
  }),
  useCase({ title: 'E1 A11: delete a user', prepare: oneUser, run: change({ is_deleted: true }) }),
  useCase({
    title: '4.9 E1 E2 A11: create a user by e-mail address',
    nightly: true,
    prepare: oneUser,
    run: updateByEmail(NEW, { first_name: 'Lee', token: 't-2' }),
  }),
  useCase({
    title: '4.9 E1 E2 A11: create a deleted user by e-mail address',
    nightly: true,
    decisions: 2,
    prepare: oneUser,
    run: updateByEmail(NEW, { first_name: 'Lee', is_deleted: true }),
  }),
  useCase({
    title: '4.9 E2 A11: update a user by e-mail address',
    nightly: true,
    prepare: oneUser,
    run: updateByEmail(OLD, { overwrite_token: true, token: 't-2' }),
  }),
  useCase({
    title: '4.15 A11: issue an access token',
    secret: true,
    prepare: oneUser,
    run: (client, { key, userId }) =>
      client.send('POST', `/users/${userId}/access_tokens`, {
        key,
        body: { expires_in: 600, scope: 'all', access: 'read' },
      }),
  }),
  useCase({
    title: 'I10 A11: end an access token',
    nightly: true,
    prepare: async (service) => {
      const { key, userId } = await oneUser(service);
      const path = `/users/${userId}/access_tokens`;
      await service.ask('POST', path, { key, body: { expires_in: 600, scope: 'all', access: 'read' } });
      return { key, path: `${path}/${(await service.look(path, key)).body.access_tokens[0].id}` };
    },
    run: (client, { key, path }) => client.send('DELETE', path, { key }),
  }),
  useCase({
    title: 'D13 A11: store a shipping address',
    nightly: true,
    prepare: oneUser,
    run: (client, { key, userId }) =>
      client.send('POST', '/shipping_addresses', {
        key,
        body: {
          user_id: userId,
          address_one: '1 Main Street',
          postal_code: '02114',
          city: 'Boston',
          state: 'MA',
          country: 'US',
        },
      }),
  }),
];
