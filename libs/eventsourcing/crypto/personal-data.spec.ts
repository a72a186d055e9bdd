import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedState } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { PersonalData } from '#eventsourcing';

const ann = { email: 'ann@example.org', name: 'Zoë', birthday: null };

describe('personal data', () => {
  let folder: string;
  let state: EmbeddedState;
  let personal: PersonalData;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'personal-'));
    state = await EmbeddedState.open(join(folder, 'state.db'), () => Buffer.alloc(32, 1));
    personal = new PersonalData(state.keys, thisMachine.randomness);
  });
  afterEach(async () => {
    await state.close();
    rmSync(folder, { recursive: true });
  });

  it('opens as it was sealed; the same data is never sealed the same way twice', async () => {
    const sealed = await personal.seal('ann', ann);
    expect(await personal.open('ann', sealed)).toEqual(ann);
    expect(sealed).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(sealed, 'base64')[0]).toBe(1);
    expect(await personal.seal('ann', ann)).not.toBe(sealed);
  });

  it('G12: is null for ever after the key is destroyed, and nothing more can be sealed', async () => {
    const sealed = await personal.seal('ann', ann);
    const bob = await personal.seal('bob', ann);
    await state.keys.destroy('ann');
    expect(await personal.open('ann', sealed)).toBeNull();
    await expect(personal.seal('ann', ann)).rejects.toMatchObject({ code: 'person_erased' });
    expect(await personal.open('bob', bob)).toEqual(ann);
  });

  it('is null for an unknown person, another person’s text, and text that does not authenticate', async () => {
    const sealed = await personal.seal('ann', ann);
    await personal.seal('bob', ann);
    expect(await personal.open('nobody', sealed)).toBeNull();
    expect(await personal.open('bob', sealed)).toBeNull();
    const bytes = Buffer.from(sealed, 'base64');
    const newer = Buffer.from(bytes);
    newer.writeUInt8(2, 0);
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(40) ^ 1, 40);
    for (const wrong of ['', 'AQ==', 'not base64!', newer.toString('base64'), changed.toString('base64')]) {
      expect(await personal.open('ann', wrong)).toBeNull();
    }
  });

  it('a failure of the key store is a fault, never an erased person', async () => {
    const sealed = await personal.seal('ann', ann);
    const file = join(folder, 'state.db');
    await state.close();
    const reopened = await EmbeddedState.open(file, () => Buffer.alloc(32, 1));
    await reopened.close();
    await expect(new PersonalData(reopened.keys, thisMachine.randomness).open('ann', sealed)).rejects.toThrow('closed');
  });
});
