/** Compiles criteria into SQL: tests of a row, and the keys of all matches, through any depth of chains. */
import { sql } from 'kysely';
import type { Criterion, Predicate } from '../../../search/predicate';
import { compilePredicate } from '../predicate-sql';
import { bind } from '../../connection/statement';
import { compileBlock } from './block';
import { compileCodes } from './codes';
import type { CompiledCriteria, CompiledPredicate } from './compiled';
import { compileConjunction } from './conjunction';
import { withinContained } from './contained';
import { compileInside } from './inside';
import { compileMany, partMany } from './many';
import { compileNamed } from './named';
import { compileReferences } from './references';
import { compileRows, compileSplitRange } from './rows';
import { Names, type Scope } from './scope';
import { compileSource } from './source';
import { compileSubstring } from './substring';
import { compileTarget } from './target';

/** Compiles the criteria of the searched type. Cost: some microseconds for each predicate. */
export function compileCriteria(
  criteria: readonly Criterion[],
  sortDateParameter: number | undefined,
): CompiledCriteria {
  return compileAll(criteria, {
    type: () => sql`${bind('type')}::smallint`,
    sortDateParameter,
    names: new Names(),
    compile: compileAll,
    containedMode: 'always',
  });
}

function compileAll(criteria: readonly Criterion[], scope: Scope): CompiledCriteria {
  return criteria.map(({ anyOf, isNegated, asSet }) => {
    const { many, others } = partMany(anyOf, scope);
    const single = others.map((predicate) => compileOne(predicate, scope.names.next(), scope));
    return {
      alternatives: many.length === 0 ? single : [...compileMany(many, scope), ...single],
      isNegated: isNegated === true,
      asSet: asSet === true,
    };
  });
}

function compileOne(predicate: Predicate, prefix: string, scope: Scope): CompiledPredicate {
  const compiled = compileOutside(predicate, prefix, scope);
  return scope.contained === undefined ? compiled : withinContained(compiled, prefix, scope.contained.base);
}

function compileOutside(predicate: Predicate, prefix: string, scope: Scope): CompiledPredicate {
  switch (predicate.index) {
    case 'target':
      return predicate.urls === undefined
        ? compileTarget(predicate, prefix, scope)
        : compileNamed('target', {
            parameters: predicate.parameters,
            urls: predicate.urls,
            of: predicate.target,
            prefix,
            scope,
          });
    case 'source':
      return predicate.urls === undefined
        ? compileSource(predicate, prefix, scope)
        : compileNamed('source', {
            parameters: predicate.parameters,
            urls: predicate.urls,
            of: predicate.source,
            prefix,
            scope,
          });
    case 'all':
      return compileConjunction(predicate, prefix, scope);
    case 'inside':
      return compileInside(predicate, prefix, scope);
    case 'block':
      return compileBlock(predicate.containers, prefix, scope);
    case 'codes':
      return compileCodes(predicate.parameter, predicate.codes, prefix);
    case 'references':
      return compileReferences(predicate, prefix);
    case 'substring':
      return compileSubstring(predicate.parameter, predicate.text, prefix);
    case 'range':
      return compileSplitRange(predicate, prefix, scope);
    default:
      return compileRows(
        compilePredicate(predicate, prefix, scope.sortDateParameter, scope.type),
        prefix,
        scope,
      );
  }
}
