const INSTANT =
  /^(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+ -]\d\d:\d\d)?)?)?$/;

/**
 * Milliseconds since 1970 of the first moment that a FHIR instant, dateTime or date names; UTC where it states no
 * zone. Undefined when it is none, a day that does not exist included. A plus sign that the query turned into a
 * space is understood. https://hl7.org/fhir/R4/datatypes.html#instant
 */
export function parseInstant(text: string): number | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const [, year, month, day = '01', hour = '00', minute = '00', second = '00', fraction = '0', zone = 'Z'] =
    match;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offset = toOffsetMinutes(zone);
  if (offset === undefined) return undefined;
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  const timeOfDay = ((Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second)) * 1000;
  return date.getTime() + timeOfDay + milliseconds;
}

/** Minutes east of UTC; at most 14 hours. */
function toOffsetMinutes(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  if (minutes > 14 * 60 || Number(zone.slice(4, 6)) > 59) return undefined;
  return zone.startsWith('-') ? -minutes : minutes;
}
