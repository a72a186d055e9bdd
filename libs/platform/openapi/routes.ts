import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import type { ModulesContainer } from '@nestjs/core';
import { accessOf, descriptionOf, groupOf, tokenUseOf, type Access, type Description, type TokenUse } from '#http';

/** A route, as its controller declares it. */
export interface Route {
  /** In capitals. */
  readonly method: string;
  /** The router's pattern, such as `/deals/:deal_id`. */
  readonly path: string;
  /** A unique name, made of the controller's and the method's. */
  readonly name: string;
  readonly access: Access | undefined;
  /** How users call it with access tokens; undefined means not at all. */
  readonly tokens: TokenUse | undefined;
  readonly group: string | undefined;
  /** Undefined if the controller does not describe the route. */
  readonly description: Description | undefined;
}

/** Every route of the application, in the order of its modules. */
export function routesOf(modules: ModulesContainer): readonly Route[] {
  const controllers = [...modules.values()].flatMap((each) => [...each.controllers.values()]);
  return controllers.flatMap(({ metatype }) => (typeof metatype === 'function' ? routesIn(metatype) : []));
}

function routesIn(controller: { readonly name: string; readonly prototype: object }): Route[] {
  return Object.entries(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(([name, { value }]) => {
    const method = value as object;
    const verb = typeof value === 'function' ? metadata(METHOD_METADATA, method) : undefined;
    if (typeof verb !== 'number') return [];
    const paths = pathsOf(controller).flatMap((first) => pathsOf(method).map((rest) => joined(first, rest)));
    return paths.map((path, number) => ({
      method: RequestMethod[verb] ?? '',
      path,
      name: `${controller.name.replace(/Controller$/, '')}.${name}${number === 0 ? '' : number + 1}`,
      access: accessOf(method, controller),
      tokens: tokenUseOf(method, controller),
      group: groupOf(controller),
      description: descriptionOf(method),
    }));
  });
}

function pathsOf(target: object): readonly string[] {
  const path = metadata(PATH_METADATA, target);
  return Array.isArray(path) ? path.map(String) : [String(path)];
}

function joined(...parts: readonly string[]): string {
  const names = parts.map((part) => part.replace(/^\/|\/$/g, ''));
  return `/${names.filter((name) => name !== '').join('/')}`;
}

const metadata = (key: string, target: object): unknown => Reflect.getMetadata(key, target) as unknown;
