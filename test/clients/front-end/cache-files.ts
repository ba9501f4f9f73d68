import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ClientOptions } from '../../../examples/front-end/client-options';

const read = (ending: string): unknown =>
  JSON.parse(readFileSync(path.join(__dirname, `../../../schema/r4.${ending}.json`), 'utf8'));

/** The files beside the schema, as a front end has downloaded them. */
export const CACHE_FILES: Pick<ClientOptions, 'possibleTypes' | 'nodeFields'> = {
  possibleTypes: read('possibleTypes') as ClientOptions['possibleTypes'],
  nodeFields: read('nodeFields') as ClientOptions['nodeFields'],
};
