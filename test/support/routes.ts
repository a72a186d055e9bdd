import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { pino } from 'pino';
import { createHttpApp, openService, readConfig, realSurroundings } from '#platform';
import { thisMachine } from '#adapters/machine';
import { tempFolder } from './temp-folder.js';

/** Every route of the service as `GET /deals/:deal_id`, from the application itself. */
export async function routesOfTheService(): Promise<readonly string[]> {
  const folder = tempFolder();
  const config = readConfig({ DATA_DIR: folder.path });
  const logger = pino({ level: 'silent' });
  const service = await openService(config, logger, realSurroundings(thisMachine));
  const app = await createHttpApp(service, logger, config);
  const controllers = [...app.get(ModulesContainer).values()].flatMap((each) => [...each.controllers.values()]);
  const routes = controllers.flatMap(({ metatype }) => (typeof metatype === 'function' ? routesOf(metatype) : []));
  await app.close();
  await service.close();
  folder.remove();
  return routes.sort();
}

function routesOf(controller: { readonly prototype: object }): string[] {
  const base = pathsOf(controller);
  return Object.values(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(({ value }) => {
    const method = typeof value === 'function' ? metadata(METHOD_METADATA, value as object) : undefined;
    if (typeof method !== 'number') return [];
    return base.flatMap((first) =>
      pathsOf(value as object).map(
        (rest) => `${RequestMethod[method] ?? ''} /${[first, rest].map(trimmed).filter(Boolean).join('/')}`,
      ),
    );
  });
}

function pathsOf(target: object): readonly string[] {
  const pathMetadata = metadata(PATH_METADATA, target);
  return Array.isArray(pathMetadata) ? pathMetadata.map(String) : [String(pathMetadata)];
}

const metadata = (key: string, target: object): unknown => Reflect.getMetadata(key, target) as unknown;
const trimmed = (path: string): string => path.replace(/^\/|\/$/g, '');
