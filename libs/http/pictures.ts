import { BoundedMap, generationBytes } from '#eventsourcing';

/** The sizes of a deal's picture, in the order of ruling B3, with their fixed dimensions in pixels. */
const SIZES = {
  xlarge: '900x600',
  large: '640x426',
  medium: '420x280',
  tiny: '60x40',
  _103: '103x68',
  _135: '135x90',
  _180: '180x120',
  _198: '198x132',
  _222: '222x148',
  _300: '300x200',
  _306: '306x204',
  _316: '316x210',
  _372: '372x248',
  _400: '400x266',
  _498: '498x332',
  _640: '640x426',
  _660: '660x440',
  featured: '560x373',
  show: '420x280',
  thumb: '90x60',
} as const;

export type PictureSize = keyof typeof SIZES;
export const PICTURE_SIZES = Object.keys(SIZES) as readonly PictureSize[];

export interface Picture {
  /** Relative, for the deprecated `image_url`. */
  readonly path: string;
  readonly url: string;
}

/** A picture in `primary_image`; dimensions are pixels. */
export interface PictureShown {
  readonly size: PictureSize;
  readonly dimensions: string;
  readonly url: string;
}

/** A cache: building a URL costs as much as all the rest of a purchase's answer, and answers repeat the URLs of a deal. */
const known = new BoundedMap<string, Picture>(
  generationBytes('pictures'),
  ({ path, url }, key) => path.length + url.length + key.length,
);

/** One size of a picture: the URL carries the size as a parameter; the service draws no picture (ruling B3). */
export function pictureOf(image: string | null, size: PictureSize, publicUrl: string): Picture | null {
  if (image === null) return null;
  const key = `${size} ${publicUrl} ${image}`;
  let picture = known.get(key);
  if (picture === undefined) {
    picture = build(image, size, publicUrl);
    known.set(key, picture);
  }
  return picture;
}

/** Characters of all sizes of a picture together, as an answer shows them. */
export function charactersOfPictures(image: string | null, publicUrl: string): number {
  const { url = '' } = pictureOf(image, 'xlarge', publicUrl) ?? {};
  return PICTURE_SIZES.length * url.length;
}

function build(image: string, size: PictureSize, publicUrl: string): Picture {
  const absolute = /^https?:\/\//i.test(image);
  // After two slashes at the start, the rest would be a host, and the URL would lead to another site.
  const url = new URL(absolute ? image : `${publicUrl}/${image.replace(/^[/\\]+/, '')}`);
  url.searchParams.set('size', size);
  return { path: url.pathname.replace(/^\/+/, '/') + url.search, url: url.href };
}

/** Every size, keyed by its name (interface 2.1); null without a picture. */
export function picturesOf(
  image: string | null,
  publicUrl: string,
): Readonly<Record<PictureSize, PictureShown>> | null {
  if (image === null) return null;
  return Object.fromEntries(
    Object.entries(SIZES).map(([size, dimensions]) => [
      size,
      { size: size as PictureSize, dimensions, url: pictureOf(image, size as PictureSize, publicUrl)?.url },
    ]),
  ) as Record<PictureSize, PictureShown>;
}
