/** Texts of codes in a language: those that the terminology of the tenant has, as far as it has any. */
import { type GraphQLFieldConfigArgumentMap, GraphQLString } from 'graphql';
import { type FieldCost, SEARCH_COST, withCost } from '../cost';
import { isJsonObject, type JsonObject } from '../json';
import { codeScalar } from '../scalars';
import { memberOf } from '../types/resource';
import type { SchemaDefinitions } from './definitions';
import type { Field, Fields } from './elements';
import type { Handlers } from './handlers';

const LANGUAGE = 'language';

/** The codes of many fields share the statements of their code systems. */
const COST_OF_DISPLAY: FieldCost = {
  base: SEARCH_COST,
  items: () => 1,
  onlyWith: LANGUAGE,
  isApart: true,
};

const ARGUMENTS: GraphQLFieldConfigArgumentMap = {
  [LANGUAGE]: {
    type: codeScalar,
    description:
      'A language, or several with the most wanted first: `de-AT, en;q=0.5`; `*` is any. The text is then the best that the ' +
      'terminology of the tenant has; without it, it is as stored.',
  },
};

/** The fields of Coding and of CodeableConcept that take a language. */
export interface DisplayFields<Context> {
  readonly ofCoding: Fields<Context>;
  readonly ofConcept: Fields<Context>;
}

export function displayFields<Context>(
  definitions: SchemaDefinitions,
  handlers: Handlers<Context>,
): DisplayFields<Context> {
  const field = (
    type: string,
    name: string,
    find: (element: JsonObject, languages: string, context: Context) => Promise<string | undefined>,
  ): Field<Context> => ({
    type: GraphQLString,
    description: definitions.descriptions.element(type, name),
    ...withCost(COST_OF_DISPLAY),
    args: ARGUMENTS,
    resolve: (element, given, context) => {
      const languages = given[LANGUAGE];
      return typeof languages === 'string' && isJsonObject(element)
        ? find(element, languages, context)
        : memberOf(element, name);
    },
  });
  return {
    ofCoding: {
      display: field('Coding', 'display', (...given) => handlers.display(...given)),
    },
    ofConcept: {
      text: field('CodeableConcept', 'text', (...given) => handlers.conceptText(...given)),
    },
  };
}
