/** Elements whose type is part of their name: `onset[x]` is `onsetAge` or `onsetDateTime`. */
import type { JsonObject } from '../api/json';
import { formatValue } from './format';

/** The member of the type that a record has chosen, such as `onsetAge` for `onset`; undefined where it has none. */
export function choiceMember(holder: JsonObject, name: string): string | undefined {
  return Object.keys(holder).find((each) => each.startsWith(name) && /^[A-Z]/.test(each.slice(name.length)));
}

/** The text of the type that a record has chosen; '' where it has none. */
export function choiceText(holder: JsonObject, name: string): string {
  const chosen = choiceMember(holder, name);
  return chosen === undefined ? '' : formatValue(holder[chosen]);
}
