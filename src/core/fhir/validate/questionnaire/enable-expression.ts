/**
 * The expressions that enable an item (http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression).
 */
import type { Definitions } from '../../definitions';
import type { JsonObject } from '../../json';
import {
  compilePath,
  inspectPath,
  PathAllowance,
  PathError,
  type CompiledPath,
  type PathEnvironment,
} from '../../path';
import { objectMember, objectsMember, stringMember } from '../../terminology/members';

/**
 * True or false if the expression says so. Undefined if the server cannot tell: the expression uses what is not in the
 * response, fails, exceeds its budget, or has another value than one Boolean, where form fillers differ. `item`: that of
 * the response, if it is there.
 */
export type EnableExpression = (
  item: JsonObject | undefined,
  environment: PathEnvironment,
) => boolean | undefined;

/** Maximum steps of compiling the expressions of the questionnaires that one object compiles: some 25,000 characters. */
const MAX_COMPILING_STEPS = 250_000;

const UNKNOWN: EnableExpression = () => undefined;

/** Compiles the expressions of questionnaires. Those beyond the budget are unknown. */
export class EnableExpressions {
  private readonly allowance = new PathAllowance(MAX_COMPILING_STEPS);

  constructor(private readonly definitions: Definitions) {}

  /** Returns the expressions of an item of the questionnaire. Cost: some 20 µs for each. */
  of(element: JsonObject): readonly EnableExpression[] {
    return objectsMember(element, 'extension').flatMap((extension) => {
      if (stringMember(extension, 'url')?.endsWith('enableWhenExpression') !== true) return [];
      const { language, expression } = objectMember(extension, 'valueExpression') ?? {};
      return language === 'text/fhirpath' && typeof expression === 'string'
        ? [this.compile(expression)]
        : [UNKNOWN];
    });
  }

  private compile(expression: string): EnableExpression {
    const options = {
      definitions: this.definitions,
      rootType: 'QuestionnaireResponse.item',
      isStrict: true,
      isFromClient: true,
      allowance: this.allowance,
    };
    try {
      const { isTimeless, isLocal, isOfResource } = inspectPath(expression, options);
      // The form was filled in at another time, perhaps with access to other resources.
      if (!isTimeless || !isLocal) return UNKNOWN;
      return evaluation(compilePath(expression, options), isOfResource);
    } catch (error) {
      if (error instanceof PathError) return UNKNOWN;
      throw error;
    }
  }
}

function evaluation(path: CompiledPath, isOfResource: boolean): EnableExpression {
  return (item, environment) => {
    if (item === undefined && !isOfResource) return undefined;
    try {
      const [first, ...more] = path(item ?? {}, environment);
      return more.length === 0 && typeof first?.value === 'boolean' ? first.value : undefined;
    } catch (error) {
      if (error instanceof PathError) return undefined;
      throw error;
    }
  };
}
