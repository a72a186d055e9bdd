import type { Json } from './running-service.js';

/** Keywords that do not restrict a value. */
const SAID = new Set(['description', 'deprecated', 'contentEncoding', 'default']);

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uri: (text) => URL.canParse(text),
  'uri-reference': (text) => URL.canParse(text, 'https://shop.example'),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
  'date-time': (text) => !Number.isNaN(Date.parse(text)),
  email: (text) => /^\S+@\S+$/.test(text),
  base64: (text) => Buffer.from(text, 'base64').toString('base64') === text,
};

/**
 * The faults of a value by a schema of an OpenAPI document: one line per fault, with its place.
 * @throws Error for an unknown keyword, so that none is ignored
 */
export function faultsBy(schema: Json, value: Json, document: Json, at = 'it'): string[] {
  return Object.entries(schema as Record<string, Json>).flatMap(([keyword, constraint]): string[] => {
    const fault = (isRight: boolean): string[] =>
      isRight ? [] : [`${at}: ${shown(value)} is not of ${keyword} ${JSON.stringify(constraint)}`];
    switch (keyword) {
      case '$ref':
        return faultsBy(referred(constraint, document), value, document, at);
      case 'anyOf': {
        const each = (constraint as Json[]).map((one) => faultsBy(one, value, document, at));
        return each.some((faults) => faults.length === 0) ? [] : each.flat();
      }
      case 'type':
        return fault([constraint].flat().some((type: string) => isOf(type, value)));
      case 'const':
        return fault(value === constraint);
      case 'enum':
        return fault(constraint.includes(value));
      case 'minimum':
        return fault(typeof value !== 'number' || value >= constraint);
      case 'maximum':
        return fault(typeof value !== 'number' || value <= constraint);
      case 'minLength':
        return fault(typeof value !== 'string' || value.length >= constraint);
      case 'maxLength':
        return fault(typeof value !== 'string' || value.length <= constraint);
      case 'maxItems':
        return fault(!Array.isArray(value) || value.length <= constraint);
      case 'maxProperties':
        return fault(!isOf('object', value) || Object.keys(value as object).length <= constraint);
      case 'pattern':
        return fault(typeof value !== 'string' || new RegExp(constraint).test(value));
      case 'format':
        return fault(typeof value !== 'string' || (FORMATS[constraint]?.(value) ?? false));
      case 'items':
        return Array.isArray(value)
          ? value.flatMap((item, n) => faultsBy(constraint, item, document, `${at}[${String(n)}]`))
          : [];
      case 'properties':
        return isOf('object', value) ? propertyFaults(constraint, value, document, at) : [];
      case 'required':
        return isOf('object', value) ? fault((constraint as string[]).every((name) => Object.hasOwn(value, name))) : [];
      case 'additionalProperties': {
        if (!isOf('object', value)) return [];
        const more = Object.entries(value as object).filter(([name]) => !Object.hasOwn(schema.properties ?? {}, name));
        if (constraint === false) return fault(more.length === 0);
        return more.flatMap(([name, each]) => faultsBy(constraint, each, document, `${at}.${name}`));
      }
      default:
        if (SAID.has(keyword)) return [];
        throw new Error(`a schema has the keyword ${keyword}`);
    }
  });
}

/** The part of a document that a reference names. */
export function referred(reference: string, document: Json): Json {
  const names = reference.replace(/^#\//, '').split('/');
  return names.reduce((part: Json, name) => part?.[name], document);
}

const shown = (value: Json): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80));

function propertyFaults(properties: Json, value: Json, document: Json, at: string): string[] {
  const present = Object.entries<Json>(properties as object).filter(([name]) => Object.hasOwn(value, name));
  return present.flatMap(([name, each]) => faultsBy(each, value[name], document, `${at}.${name}`));
}

/** Objects whose keys are not in the order of their schema's properties (ruling A9): one line per object. */
export function orderFaultsBy(schema: Json, value: Json, document: Json, at = 'it'): string[] {
  if (schema.$ref !== undefined) return orderFaultsBy(referred(schema.$ref, document), value, document, at);
  if (schema.anyOf !== undefined) {
    const fits = (schema.anyOf as Json[]).find((one) => faultsBy(one, value, document).length === 0);
    return fits === undefined ? [] : orderFaultsBy(fits, value, document, at);
  }
  if (Array.isArray(value))
    return value.flatMap((item, n) => orderFaultsBy(schema.items, item, document, `${at}[${n}]`));
  if (schema.properties === undefined || !isOf('object', value)) return [];
  const keys = Object.keys(value as object);
  const order = Object.keys(schema.properties as object).filter((name) => keys.includes(name));
  const faults = order.flatMap((name) =>
    orderFaultsBy(schema.properties[name], value[name], document, `${at}.${name}`),
  );
  return order.join() === keys.join() ? faults : [...faults, `${at}: ${keys.join()}`];
}

function isOf(type: string, value: Json): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
