/** The URL of a database on the server with this URL. */
export function databaseUrl({ url }: { readonly url: string }, database: string): string {
  const [, hosts = '', query = ''] = /^([^?]+?:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(url) ?? [];
  return `${hosts}/${database}${query}`;
}
