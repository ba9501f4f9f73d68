// The clinical sort date: for each type the code of one date parameter of which a resource has at most one value.
/** Exceptions, where the rule would choose another parameter or none: a type, and one of its date parameters. */
const CHOSEN = {
  Condition: 'recorded-date',
  Immunization: 'date',
  Patient: 'birthdate',
};

/** The rule: the first of these that the type has and that can have only one value. */
const PREFERRED = ['date', 'authored', 'authoredon', 'authored-on', 'created', 'period', 'issued', 'sent', 'started', 'recorded', 'effective'];

export function chooseSortDates(types, parameters) {
  const byName = new Map(types.map((type) => [type.name, type]));
  const chosen = {};
  for (const type of types) {
    if (type.kind !== 'resource' || type.abstract) continue;
    const dates = parameters.filter(
      (parameter) => parameter.type === type.name && parameter.kind === 'date' && !parameter.code.startsWith('_'),
    );
    const single = dates.filter((parameter) => hasOneValueAtMost(parameter, type, byName));
    const codes = [CHOSEN[type.name], ...PREFERRED, ...single.map((parameter) => parameter.code).sort()];
    const code = codes.find((candidate) => single.some((parameter) => parameter.code === candidate));
    if (code) chosen[type.name] = code;
  }
  return chosen;
}

/** True when every branch of the expression is the same plain path, of which no element may repeat. */
function hasOneValueAtMost(parameter, type, byName) {
  const branches = new Set(
    (parameter.expression ?? '').split(' | ').map((branch) => branch.replace(/[()]| as \w+|\.as\(\w+\)/g, '')),
  );
  const [path] = branches;
  if (branches.size !== 1 || !/^\w+(\.\w+)+$/.test(path)) return false;
  const names = path.split('.').slice(1);
  let at = type;
  let prefix = '';
  for (const name of names) {
    const wanted = prefix + name;
    const element = at?.elements.find(({ path: found }) => found === wanted || found === `${wanted}[x]`);
    if (!element || (element.max ?? 1) !== 1) return false;
    const code = element.types?.[0]?.code ?? element.types?.[0];
    const isInline = code === 'BackboneElement' || code === 'Element';
    if (!isInline) at = byName.get(code);
    prefix = isInline ? `${wanted}.` : '';
  }
  return true;
}
