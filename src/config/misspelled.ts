import { closestName } from '../../packages/fhir-values/closest-name';

/**
 * The variables of an environment that are probably misspelled settings, one line each. Only names that begin with the
 * same word as a setting are compared, because an environment has many variables of other programs.
 */
export function findMisspelled(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): readonly string[] {
  return Object.keys(environment).flatMap((name) => {
    const firstWord = firstWordOf(name);
    if (firstWord === undefined || settings.includes(name)) return [];
    const meant = closestName(
      name,
      settings.filter((setting) => firstWordOf(setting) === firstWord),
    );
    return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`];
  });
}

/** `FHIR` of FHIR_DATABASE_HOST; undefined for a name of one word, such as HOSTNAME. */
function firstWordOf(name: string): string | undefined {
  return /^([a-z]+)_/i.exec(name)?.[1]?.toUpperCase();
}
