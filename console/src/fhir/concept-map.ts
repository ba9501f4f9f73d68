/** The mappings of a concept map. */
import { objectsOf, textOf, type JsonObject } from '../api/json';

export interface Mapping {
  readonly system: string;
  readonly code: string;
  readonly display: string;
  readonly relation: string;
  readonly targetSystem: string;
  /** '' where the code is mapped to nothing. */
  readonly target: string;
  readonly targetDisplay: string;
}

function readGroup(group: JsonObject): readonly Mapping[] {
  return objectsOf(group['element']).flatMap((element) => {
    const targets = objectsOf(element['target']);
    return (targets.length === 0 ? [{}] : targets).map((target: JsonObject) => ({
      system: textOf(group['source']) ?? '',
      code: textOf(element['code']) ?? '',
      display: textOf(element['display']) ?? '',
      relation: textOf(target['equivalence']) ?? '',
      targetSystem: textOf(group['target']) ?? '',
      target: textOf(target['code']) ?? '',
      targetDisplay: textOf(target['display']) ?? '',
    }));
  });
}

/** All mappings of a ConceptMap, in its order. */
export function readMappings(conceptMap: JsonObject): readonly Mapping[] {
  return objectsOf(conceptMap['group']).flatMap(readGroup);
}
