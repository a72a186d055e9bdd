/** The digests of `KEPT_FOLDS`, by category. The build puts them into the bundle in the place of this line: files have none. */
export const bundledDigests: Readonly<Record<string, string>> | undefined = undefined;
