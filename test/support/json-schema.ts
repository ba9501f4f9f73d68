/** Compares values with JSON Schemas, as far as the OpenAPI document of administration uses them. */
export type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/**
 * Returns what does not fit, with its place; empty: the value fits.
 * @throws Error for a keyword that it does not know, so that no part of a schema is passed over
 */
export function findMisfits(document: Schema, schema: Schema, value: unknown, place = '$'): string[] {
  const at = (keyword: string): unknown => schema[keyword];
  const misfits: string[] = [];
  const check = (fits: boolean, expected: unknown): void => {
    if (!fits) misfits.push(`${place}: ${String(JSON.stringify(value)).slice(0, 80)} is not ${JSON.stringify(expected)}`);
  };
  for (const keyword of Object.keys(schema)) {
    const given = at(keyword);
    if (keyword === '$ref') {
      let found: unknown = document;
      for (const part of String(given).slice(2).split('/')) found = isObject(found) ? found[part] : undefined;
      if (!isObject(found)) throw new Error(`${String(given)} leads nowhere`);
      misfits.push(...findMisfits(document, found, value, place));
    } else if (keyword === 'type') {
      const types = Array.isArray(given) ? given : [given];
      check(types.includes(typeOf(value)), given);
    } else if (keyword === 'enum') check(Array.isArray(given) && given.includes(value), given);
    else if (keyword === 'const') check(value === given, given);
    else if (keyword === 'pattern') check(new RegExp(String(given)).test(String(value)), given);
    else if (keyword === 'format') check(new Date(String(value)).toISOString().slice(0, 19) === String(value).slice(0, 19), given);
    else if (keyword === 'minimum') check(Number(value) >= Number(given), given);
    else if (keyword === 'minLength') check(String(value).length >= Number(given), given);
    else if (keyword === 'maxLength') check(String(value).length <= Number(given), given);
    else if (keyword === 'required') {
      for (const name of given as string[]) check(isObject(value) && name in value, `an object with ${name}`);
    } else if (keyword === 'items') {
      for (const [index, item] of (Array.isArray(value) ? value : []).entries())
        misfits.push(...findMisfits(document, given as Schema, item, `${place}[${index}]`));
    } else if (keyword === 'anyOf' || keyword === 'oneOf') {
      const all = (given as Schema[]).map((one) => findMisfits(document, one, value, place));
      const fitting = all.filter((some) => some.length === 0).length;
      if (fitting === 0 || (keyword === 'oneOf' && fitting > 1)) misfits.push(...all.flat(), `${place}: fits ${fitting}`);
    } else if (keyword === 'properties' || keyword === 'additionalProperties') {
      const named = isObject(at('properties')) ? (at('properties') as Record<string, Schema>) : {};
      for (const [name, part] of Object.entries(isObject(value) ? value : {})) {
        const own = named[name];
        if (keyword === 'properties' && own !== undefined) misfits.push(...findMisfits(document, own, part, `${place}.${name}`));
        if (keyword === 'properties' || own !== undefined) continue;
        if (given === false) misfits.push(`${place}.${name} is not described`);
        else misfits.push(...findMisfits(document, given as Schema, part, `${place}.${name}`));
      }
    } else if (!['description', 'discriminator', 'writeOnly'].includes(keyword))
      throw new Error(`the keyword ${keyword} is not known`);
  }
  return misfits;
} // prettier-ignore
