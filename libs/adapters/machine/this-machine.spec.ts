import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';

const { time, randomness } = thisMachine;

describe('the time of this machine', () => {
  it('calls after a while, and repeatedly, until it is cancelled', async () => {
    const called: string[] = [];
    const cancelled = time.after(1, () => called.push('cancelled'));
    time.cancel(cancelled);
    time.cancel(undefined);
    const timer = time.every(1, () => called.push('every'));
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (called.length < 3) time.after(1, look);
        else resolve();
      };
      look();
    });
    time.cancel(timer);
    expect(new Set(called)).toEqual(new Set(['every']));
  });

  it('ends a pause on the signal, without an error', async () => {
    const stop = new AbortController();
    const pause = time.pause(3_600_000, { signal: stop.signal });
    stop.abort();
    await expect(pause).resolves.toBeUndefined();
    await expect(time.pause(3_600_000, { signal: stop.signal })).resolves.toBeUndefined();
    await expect(time.pause(1)).resolves.toBeUndefined();
  });

  it('takes what is late for due, without a warning', async () => {
    const program = `
      const { thisMachine: { time } } = await import(${JSON.stringify(new URL('./this-machine.js', import.meta.url).href)});
      await new Promise((resolve) => time.after(-10, resolve));
      await time.pause(-10);`;
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stderr).toBe('');
  });

  it('gives a signal the reason why it aborts', async () => {
    const signal = time.timeout(1);
    const keptAlive = time.every(1, () => undefined);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    time.cancel(keptAlive);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('lets others have their turn', async () => {
    const order: string[] = [];
    time.soon(() => order.push('soon'));
    await Promise.resolve();
    order.push('at once');
    await time.turn();
    expect(order).toEqual(['at once', 'soon']);
  });

  it('comes from the clock', () => {
    const [before, began] = [Date.now(), performance.now()];
    expect(time.wall()).toBeGreaterThanOrEqual(before);
    expect(time.monotonic()).toBeGreaterThanOrEqual(began);
  });
});

describe('the randomness of this machine', () => {
  it.each([1, 8, 12, 16, 17, 32, 5_000])('gives %i bytes that never repeat', (length) => {
    const bytes = Array.from({ length: 1_000 }, () => randomness.bytes(length));
    const hex = Array.from({ length: 1_000 }, () => randomness.hex(length));
    for (const each of bytes) expect(each).toHaveLength(length);
    for (const each of hex) expect(each).toMatch(new RegExp(`^[0-9a-f]{${2 * length}}$`));
    if (length < 8) return;
    expect(new Set([...bytes.map((each) => each.toString('hex')), ...hex]).size).toBe(2_000);
  });

  it('leaves its bytes to the caller', () => {
    const given = Array.from({ length: 2_000 }, () => randomness.bytes(12));
    const before = given.map((each) => each.toString('hex'));
    for (let n = 0; n < 2_000; n += 1) randomness.hex(16);
    expect(given.map((each) => each.toString('hex'))).toEqual(before);
  });

  it('makes UUIDs of version 4, and fractions', () => {
    expect(randomness.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const fraction = randomness.fraction();
    expect(fraction).toBeGreaterThanOrEqual(0);
    expect(fraction).toBeLessThan(1);
  });
});
