import { expect, it } from '@jest/globals';
import { acceptsGzip } from './static-answer.js';

it('A caller accepts gzip if they name it or `*` with a weight above 0', () => {
  for (const accepted of ['gzip', 'br, gzip', 'deflate;q=0.5 , GZIP ; q=0.1,br', '*', 'gzip;q=1.0']) {
    expect([accepted, acceptsGzip(accepted)]).toEqual([accepted, true]);
  }
  for (const accepted of [undefined, '', 'identity', 'gzip;q=0', 'gzip; q=0.000, br', 'gzipped', 'br;q=1', 'gzip;x']) {
    expect([accepted, acceptsGzip(accepted)]).toEqual([accepted, false]);
  }
});
