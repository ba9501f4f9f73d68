// Constraints and bindings: a few hundred distinct ones stand in seven thousand elements, so that each is kept once
// and named by its index.

const MAX_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet';
/** An example binding allows anything. */
const STRENGTHS = ['required', 'extensible', 'preferred'];

/** Finds rules in the definitions of a release. Input: its StructureDefinitions, profiles included. */
export function createRules(structures) {
  const constraints = createTable();
  const bindings = createTable();
  const roots = new Map();
  const profiles = new Map();
  for (const definition of structures) {
    const [root] = definition.snapshot.element;
    if (definition.derivation === 'constraint') profiles.set(definition.url, root);
    else roots.set(definition.type, root);
  }
  const keysOf = (element) => (element?.constraint ?? []).map(({ key }) => key);

  /** Indexes of the constraints, without those that have one of the keys. */
  const indexesOf = (constraint, without) => {
    const kept = (constraint ?? []).filter(({ key }) => !without.has(key)).map(toConstraint);
    return kept.map(constraints.indexOf);
  };

  return {
    constraints: constraints.values,
    bindings: bindings.values,

    /** Of a type as a whole, inherited ones included. */
    ofType: ({ constraint }) => indexesOf(constraint, new Set()),

    /**
     * Of an element, those that all of its types have anyway left out. `target` is the element of a contentReference:
     * all of its rules hold here too (elementdefinition.html#ElementDefinition.contentReference).
     */
    ofElement(element, target) {
      const [first, ...others] = (element.type ?? target?.type ?? []).map(({ code }) => new Set(keysOf(roots.get(code))));
      const inherited = new Set([...(first ?? [])].filter((key) => others.every((keys) => keys.has(key))));
      const own = new Set(indexesOf(element.constraint, inherited));
      for (const index of indexesOf(target?.constraint, inherited)) own.add(index);
      return [...own];
    },

    /** What the profiles that the specification names for a type add to it; only SimpleQuantity is ever named. */
    ofTypeProfiles({ code, profile = [] }) {
      const inherited = new Set(keysOf(roots.get(code)));
      return profile.flatMap((url) => indexesOf(profiles.get(url).constraint, inherited));
    },

    /** Index of the binding of an element; undefined without one, or where it is but an example. */
    ofBinding({ binding }) {
      if (!binding?.valueSet || !STRENGTHS.includes(binding.strength)) return undefined;
      const max = binding.extension?.find(({ url }) => url === MAX_VALUE_SET)?.valueCanonical;
      return bindings.indexOf({
        valueSet: binding.valueSet,
        strength: binding.strength,
        ...(max ? { max } : {}),
      });
    },
  };
}

function toConstraint({ key, severity, human, expression }) {
  return { key, ...(severity === 'warning' ? { warning: true } : {}), human, expression };
}

function createTable() {
  const values = [];
  const known = new Map();
  return {
    values,
    indexOf(value) {
      const text = JSON.stringify(value);
      let index = known.get(text);
      if (index === undefined) {
        index = values.push(value) - 1;
        known.set(text, index);
      }
      return index;
    },
  };
}
