import { describe, expect, it } from '@jest/globals';
import { pictureOf } from './pictures.js';

describe('B3: a picture', () => {
  it.each([
    ['/spa.jpg', '/spa.jpg?size=tiny'],
    ['spa.jpg', '/spa.jpg?size=tiny'],
    // A browser would read this as another host.
    ['//elsewhere.test/spa.jpg', '/elsewhere.test/spa.jpg?size=tiny'],
    ['/\\elsewhere.test/spa.jpg', '/elsewhere.test/spa.jpg?size=tiny'],
  ])('%s stays on this site', (image, path) => {
    expect(pictureOf(image, 'tiny', 'https://deals.test')).toEqual({ path, url: `https://deals.test${path}` });
  });

  it.each(['a/..//elsewhere.test/spa.jpg', 'https://deals.test//elsewhere.test/spa.jpg'])(
    'the relative address of %s stays on this site',
    (image) => {
      expect(pictureOf(image, 'tiny', 'https://deals.test')?.path).toBe('/elsewhere.test/spa.jpg?size=tiny');
    },
  );
});
