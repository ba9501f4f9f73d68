/** Returns the ending that a type gives to the name of a choice element: `DateTime` for `dateTime`. */
export function choiceSuffix(type: string): string {
  return type.charAt(0).toUpperCase() + type.slice(1);
}

/** Returns the member that holds values of `type` in a choice element: `valueDateTime` for `value[x]` and `dateTime`. */
export function choiceName(element: string, type: string): string {
  return element + choiceSuffix(type);
}
